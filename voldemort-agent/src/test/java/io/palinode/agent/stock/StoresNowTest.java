package io.palinode.agent.stock;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.agent.stock.StockEngine.Kind;
import io.palinode.agent.weave.Weaver;
import io.palinode.agent.weave.WeavingLoader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StoresNowTest {
  private static final long LOOK = StoresNow.LOOK_EVERY_NANOS;
  private static final long GAP = StoresNow.GAP_EVERY_NANOS;

  private final StockTypes types = new StockTypes(new WeavingLoader(Weaver.ofServer()));
  private final Object disk = engine("disk");
  private final StockEngine watched =
      new StockEngine(types, StockEngine.Calls.of(types), "disk", disk, Kind.BDB, () -> false);
  private final Map<String, Object> server = new HashMap<>(Map.of("disk", disk, "view", "a view"));
  private final List<Long> gaps = new ArrayList<>();
  private long hlc = 100;
  private boolean joined = true;
  private boolean readable = true;
  private final StoresNow stores =
      new StoresNow(List.of(watched), List.of("view"), this::engines, () -> hlc, this::gap);

  private Object engine(String name) {
    return StockTypes.call(
        types.constructor(types.type("voldemort.store.bdb.BdbStorageEngine"), String.class), name);
  }

  private Map<String, Object> engines() {
    if (!readable) {
      throw new IllegalStateException("not readable now");
    }
    return server;
  }

  private boolean gap(long since) {
    if (joined) {
      gaps.add(since);
    }
    return joined;
  }

  private void look(long nanos, long atHlc) {
    hlc = atHlc;
    stores.look(nanos);
  }

  @Test
  void anAddedStoreIsReportedAsUnwatchedAndAsCoverageGap() {
    look(0, 200);
    assertThat(stores.isComplete()).isTrue();
    server.put("added", engine("added"));
    look(LOOK / 2, 250);
    assertThat(stores.isComplete()).as("before the next look").isTrue();
    look(LOOK, 300);
    assertThat(stores.isComplete()).isFalse();
    assertThat(stores.added()).containsExactly("added");
    assertThat(stores.unwatched()).containsExactly("added", "view");
    assertThat(stores.watched()).containsExactly("disk");
  }

  @Test
  void theGapsOfAnAddedStoreCoverAllTimeSinceTheLastLookWithoutIt() {
    look(0, 200);
    server.put("added", engine("added"));
    look(LOOK, 300);
    look(2 * LOOK, 400);
    assertThat(gaps).as("at once, then every 10 s").containsExactly(200L);
    look(LOOK + GAP, 500);
    assertThat(gaps).containsExactly(200L, 300L);
    server.remove("added");
    look(2 * LOOK + GAP, 600);
    assertThat(gaps).as("up to the removal").containsExactly(200L, 300L, 500L);
    assertThat(stores.isComplete()).isTrue();
    look(3 * LOOK + 2 * GAP, 700);
    assertThat(gaps).hasSize(3);
  }

  @Test
  void aGapThatCannotBePublishedYetIsPublishedWhenTheNodeHasJoined() {
    joined = false;
    look(0, 200);
    server.put("added", engine("added"));
    look(LOOK, 300);
    server.remove("added");
    look(2 * LOOK, 400);
    joined = true;
    look(3 * LOOK, 500);
    look(4 * LOOK, 600);
    assertThat(gaps).containsExactly(200L);
  }

  @Test
  void aStoreThatIsBeingDeletedIsNotReportedAsAdded() {
    look(0, 200);
    watched.remove();
    look(LOOK, 300);
    server.remove("disk");
    look(2 * LOOK, 400);
    assertThat(stores.watched()).isEmpty();
    assertThat(stores.unwatched()).containsExactly("view");
    assertThat(gaps).isEmpty();
  }

  @Test
  void aStoreThatIsDeletedAndAddedAgainIsNotWatched() {
    look(0, 200);
    watched.remove();
    server.put("disk", engine("disk"));
    look(LOOK, 300);
    assertThat(stores.watched()).isEmpty();
    assertThat(stores.added()).containsExactly("disk");
    assertThat(gaps).containsExactly(200L);
  }

  @Test
  void aLookThatFailsKeepsTheAddedStores() {
    server.put("added", engine("added"));
    look(0, 200);
    readable = false;
    look(LOOK, 300);
    assertThat(stores.added()).containsExactly("added");
  }
}
