package voldemort.server.scheduler.slop;

import java.util.function.Consumer;
import voldemort.VoldemortException;
import voldemort.store.serialized.SerializingStorageEngine;
import voldemort.utils.ClosableIterator;

/** Shaped like the server's class of this name, as to what ends its run; written for tests. */
public final class BlockingSlopPusherJob implements Runnable {
  private final SerializingStorageEngine<String> slopStore;
  private final Consumer<String> store;

  public BlockingSlopPusherJob(Iterable<String> slops, Consumer<String> store) {
    this.slopStore = new SerializingStorageEngine<>(slops);
    this.store = store;
  }

  @Override
  public void run() {
    ClosableIterator<String> iterator = slopStore.entries();
    while (iterator.hasNext()) {
      String slop;
      try {
        slop = iterator.next();
      } catch (VoldemortException e) {
        break;
      }
      store.accept(slop);
    }
    iterator.close();
  }
}
