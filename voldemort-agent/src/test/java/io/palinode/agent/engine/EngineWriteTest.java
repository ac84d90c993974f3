package io.palinode.agent.engine;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.palinode.agent.stock.StandInServer;
import io.palinode.detector.binding.StoreKey;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineWriteTest {
  @TempDir private Path folder;

  /** Who waits for a lock allocates, and there may be no memory. */
  @Test
  void whoGetsNoLockOfItsKeyIsNotLeftInTheNode() {
    StandInServer server = new StandInServer(folder);
    EngineWrite write =
        new EngineWrite(
            server.node.hosted(), new Conversation(), new StoreKey("disk", new byte[] {1}), null);
    assertThatThrownBy(() -> write.enter(new KeyStripes(Failing::new)))
        .isInstanceOf(OutOfMemoryError.class);

    Thread alone = new Thread(() -> server.node.atomically(() -> {}));
    alone.setDaemon(true);
    alone.start();
    await().until(() -> alone.getState() == Thread.State.TERMINATED);
    server.close();
  }

  private static final class Failing extends ReentrantLock {
    private static final long serialVersionUID = 1L;

    @Override
    public void lock() {
      throw new OutOfMemoryError("a test");
    }
  }
}
