package io.palinode.voldemort;

import static io.palinode.voldemort.TestNodes.key;
import static io.palinode.voldemort.TestNodes.version;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.store.engine.StorageEngine.Durability;
import io.palinode.store.node.NodeSettings;
import io.palinode.voldemort.TestNodes.Medium;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a restore asks of the engine follows the keys that changed, not those that there are. */
class RestoreCostTest {
  private static final int STANDING = 20;
  private static final int UNDONE = 50;

  private final AtomicLong micros = TestNodes.clock();
  private final ProbedEngine engine = new ProbedEngine(Medium.MEMORY.open(Path.of("unused")));
  private final StoreNode node = new StoreNode(TestNodes.config(), engine, micros::get);

  @ParameterizedTest
  @ValueSource(ints = {100, 20_000})
  void eachKeyThatChangedIsReadOnceAndEachThatIsUndoneWrittenOnceInOneSyncedCommit(int keys)
      throws RefusedException {
    put(0, keys, 1);
    // The first puts are not near any more.
    micros.addAndGet(2 * NodeSettings.CONVERGENCE_WINDOW_DEFAULT.toNanos() / 1_000);
    put(0, STANDING, 2);
    put(0, STANDING, 3);
    long target = node.clock().last().own();
    put(STANDING, UNDONE, 2);
    put(STANDING, UNDONE, 3);
    node.pause(1);
    engine.gets = 0;
    engine.commits.clear();

    var restoration = node.restore(1, 1, target);

    assertThat(restoration.undoneWrites()).isEqualTo(2 * UNDONE);
    assertThat(restoration.changed()).hasSize(STANDING + UNDONE);
    assertThat(engine.gets).isEqualTo(STANDING + UNDONE);
    assertThat(engine.scans).isZero();
    // Of the restore, of the pasts, and the promise.
    int marks = 3;
    assertThat(engine.commits)
        .singleElement()
        .satisfies(commit -> assertThat(commit.changes()).hasSize(UNDONE + marks))
        .satisfies(commit -> assertThat(commit.durability()).isEqualTo(Durability.SYNCED));
  }

  private void put(int from, int count, long counter) throws RefusedException {
    for (int i = from; i < from + count; i++) {
      micros.incrementAndGet();
      node.writes().put(key("k" + i), version("v" + counter, counter), Caller.STOCK);
    }
  }
}
