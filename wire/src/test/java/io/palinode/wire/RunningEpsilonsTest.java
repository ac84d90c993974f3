package io.palinode.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.hvc.Epsilon;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class RunningEpsilonsTest {
  /** Of a Kafka that does not answer. */
  @Test
  void aReadThatIsInterruptedEndsWithoutAReport() throws Exception {
    List<String> reported = new CopyOnWriteArrayList<>();
    AtomicReference<Exception> end = new AtomicReference<>();
    Thread asking =
        new Thread(
            () -> {
              try {
                RunningEpsilons.require(
                    KafkaSettings.of("127.0.0.1:1"),
                    Topics.DEFAULT,
                    Epsilon.ofMicros(1),
                    -1,
                    "",
                    reported::add);
              } catch (Exception e) {
                end.set(e);
              }
            });
    asking.start();
    await().until(() -> isIn(asking, "endOffsets"));
    asking.interrupt();
    asking.join();
    assertThat(end.get()).isInstanceOf(InterruptedException.class);
    assertThat(reported).isEmpty();
  }

  private static boolean isIn(Thread thread, String method) {
    return List.of(thread.getStackTrace()).stream()
        .anyMatch(frame -> frame.getMethodName().equals(method));
  }
}
