package io.palinode.agent.stock;

import static io.palinode.agent.stock.StandInServer.clock;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.palinode.agent.boot.Hooks;
import io.palinode.agent.boot.Operation;
import io.palinode.voldemort.protocol.Pb0;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hints that servers deliver across a rollback. */
class HintDeliveryTest {
  @TempDir private Path folder;
  private StandInServer server;

  @BeforeEach
  void open() {
    server = new StandInServer(folder);
  }

  @AfterEach
  void close() {
    assertThat(server.fuse.failures()).describedAs(server.fuse.first()).isZero();
    server.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aHintOfAnOlderEpochIsRefused(boolean inMemory) {
    server.close();
    server = new StandInServer(folder.resolve("other"), inMemory);
    server.hint("pushed", "disk", 5);
    long from = server.node.pause(1);
    assertThatThrownBy(() -> server.hint("k", "disk", 5)).hasMessageContaining("is paused");
    // A delivered hint can be deleted meanwhile.
    assertThat(server.delete("slop", "pushed", clock(0, 1))).isTrue();
    server.node.resume(1, from, 0);
    server.askedIn(0);
    assertThatThrownBy(() -> server.hint("k", "disk", 5))
        .satisfies(
            thrown ->
                assertThat(thrown.getClass().getSimpleName())
                    .isEqualTo("UnreachableStoreException"));
    assertThat(server.get("slop", "k")).isEmpty();
    server.askedIn(1);
    server.hint("k", "disk", 5);
    assertThat(server.get("slop", "k")).isNotEmpty();
    Hooks.requestEnded();
  }

  private static Pb0.VectorClock hintOfTheJob() throws IOException {
    Pb0.VectorClock hint = Pb0.VectorClock.newBuilder().setTimestamp(7).build();
    return Pb0.VectorClock.parseFrom(delivered(hint));
  }

  /** In the request that begins a stream of hints. */
  private static Pb0.VectorClock firstHintOfTheJob() throws IOException {
    Pb0.VectorClock hint = Pb0.VectorClock.newBuilder().setTimestamp(7).build();
    Pb0.Versioned request =
        Pb0.Versioned.newBuilder().setValue(ByteString.EMPTY).setVersion(hint).build();
    return Pb0.Versioned.parseFrom(delivered(request)).getVersion();
  }

  /** As the server's own thread sends it. */
  private static ByteBuffer delivered(Message message) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    DataOutputStream frame = new DataOutputStream(out);
    if (!Hooks.answers(message, frame)) {
      frame.writeInt(message.getSerializedSize());
      message.writeTo(frame);
    }
    ByteBuffer bytes = ByteBuffer.wrap(out.toByteArray());
    assertThat(bytes.getInt()).isEqualTo(bytes.remaining());
    return bytes;
  }

  private void take(Pb0.VectorClock hint, String key) {
    assertThat(hint.getTimestamp()).isEqualTo(7);
    Hooks.received(hint);
    try {
      server.put("disk", key, "hinted", clock(0, 1));
    } finally {
      Hooks.requestEnded();
    }
  }

  /** The rollback cannot drop such a hint from the store of hints. */
  @Test
  void aHintReadBeforeARollbackIsRefusedAfterIt() throws IOException {
    Hooks.pushes(true);
    take(firstHintOfTheJob(), "k");
    take(hintOfTheJob(), "l");
    long target = server.node.pause(1);
    server.node.resume(1, target, 0);
    Pb0.VectorClock first = firstHintOfTheJob();
    Pb0.VectorClock next = hintOfTheJob();
    Hooks.pushes(false);
    assertThatThrownBy(() -> take(first, "m")).hasMessageContaining("epoch");
    assertThatThrownBy(() -> take(next, "m")).hasMessageContaining("epoch");

    Hooks.pushes(true);
    take(firstHintOfTheJob(), "n");
    take(hintOfTheJob(), "o");
    Hooks.pushes(false);
    assertThat(server.events).hasSize(4);
    assertThat(server.get("disk", "m")).isEmpty();
  }

  @Test
  void aHintReadWhilePausedIsRefused() throws IOException {
    long target = server.node.pause(1);
    Hooks.pushes(true);
    server.node.resume(1, target, 0);
    Pb0.VectorClock hint = hintOfTheJob();
    assertThatThrownBy(() -> take(hint, "k")).hasMessageContaining("epoch");
    // Of two runs at once, the earlier one counts.
    Hooks.pushes(true);
    Hooks.pushes(false);
    Pb0.VectorClock again = hintOfTheJob();
    assertThatThrownBy(() -> take(again, "k")).hasMessageContaining("epoch");
    Hooks.pushes(false);
    // A hint without an epoch, from another server, is accepted.
    take(hintOfTheJob(), "k");
    assertThat(server.get("disk", "k")).containsExactly("hinted");
  }

  private Runnable jobThatPutsOneByOne(List<String> hints, Consumer<String> put) {
    return (Runnable)
        StockTypes.call(
            server.types.constructor(
                server.types.type("voldemort.server.scheduler.slop.BlockingSlopPusherJob"),
                Iterable.class,
                Consumer.class),
            hints,
            put);
  }

  /** It may have read the next hint before. Only pb0 carries the epoch of a hint. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRollbackEndsARunAndTheNextRunDeliversTheHintsThatStand(boolean isOver) {
    List<String> delivered = new ArrayList<>();
    Runnable job =
        jobThatPutsOneByOne(
            List.of("k", "l", "m"),
            hint -> {
              delivered.add(hint);
              if (delivered.size() == 2) {
                long target = server.node.pause(1);
                if (isOver) {
                  server.node.resume(1, target, 0);
                }
              }
            });
    job.run();
    assertThat(delivered).containsExactly("k", "l");
    if (!isOver) {
      server.node.resume(1, server.node.lastReading().own(), 0);
    }
    job.run();
    assertThat(delivered).containsExactly("k", "l", "k", "l", "m");
  }

  /** As the code that drops the hints of undone writes. */
  @Test
  void aThreadThatReadsHintsWithoutDeliveringThemIsNotStopped() throws InterruptedException {
    Thread job = new Thread(() -> Hooks.pushes(true));
    job.start();
    job.join();
    long target = server.node.pause(1);
    assertThat(Hooks.enter(Operation.HINT_TO_PUSH, this, null, null)).isNull();
    server.node.resume(1, target, 0);
  }

  private static Pb0.Error.Builder requestOfThisThread() {
    Pb0.Error request = Pb0.Error.newBuilder().setErrorCode(3).setErrorMessage("put").build();
    try {
      return Pb0.Error.parseFrom(delivered(request)).toBuilder();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aHintSentAsAClientRequestIsRefusedInAnotherEpoch() {
    List<Pb0.Error.Builder> sent = new ArrayList<>();
    jobThatPutsOneByOne(List.of("k"), hint -> sent.add(requestOfThisThread())).run();
    Pb0.Error.Builder ofNoRun = requestOfThisThread();
    long target = server.node.pause(1);
    server.node.resume(1, target, 0);

    Hooks.received(sent.get(0));
    assertThatThrownBy(() -> server.put("disk", "k", "hinted", clock(0, 1)))
        .hasMessageContaining("epoch");
    Hooks.requestEnded();
    Hooks.received(ofNoRun);
    server.put("disk", "k", "of a client", clock(0, 1));
    assertThat(server.get("disk", "k")).containsExactly("of a client");
  }
}
