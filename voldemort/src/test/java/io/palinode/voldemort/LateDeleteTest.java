package io.palinode.voldemort;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.StoreBinding.KeyRecord;
import io.palinode.detector.StoreKey;
import io.palinode.hvc.Hvc;
import io.palinode.voldemort.TestNodes.Medium;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A copy of a delete that arrives late. */
class LateDeleteTest {
  private final AtomicLong micros = TestNodes.clock();

  @Test
  void aLateCopyOfADeleteDoesNotCoverWhatWasWrittenAfterTheDelete() throws RefusedException {
    List<StoreNode> nodes = new ArrayList<>();
    for (int id = 0; id < 3; id++) {
      StoreNodeConfig config =
          StoreNodeConfig.of(id, TestNodes.cluster(3), TestNodes.stores(3, Persistence.BDB));
      nodes.add(new StoreNode(config, Medium.MEMORY.open(Path.of("unused")), micros::get));
    }
    StoreKey key = TestNodes.key("lock");
    Hvc known = Hvc.unknown(3);
    for (StoreNode node : nodes) {
      micros.addAndGet(1_000);
      known = known.merge(node.put(key, TestNodes.version("old", 1), caller(known)).hvc());
    }
    // Two replicas accept the delete, the copy to the third is slow.
    Hvc deleting = known;
    for (int id = 0; id < 2; id++) {
      micros.addAndGet(1_000);
      Hvc heard = nodes.get(id).delete(key, TestNodes.vector(1), caller(known)).hvc();
      known = known.merge(heard);
      deleting = id == 0 ? known : deleting;
    }
    // Written anew by who knows of the delete: the counters begin anew.
    for (int id = 0; id < 2; id++) {
      micros.addAndGet(1_000);
      known =
          known.merge(nodes.get(id).put(key, TestNodes.version("new", 1), caller(known)).hvc());
    }
    micros.addAndGet(1_000);
    long target = nodes.get(2).delete(key, TestNodes.vector(1), caller(deleting)).acceptedAt();

    nodes.forEach(node -> node.pause(1));
    Set<StoreKey> changed = new LinkedHashSet<>();
    nodes.forEach(node -> changed.addAll(node.restore(1, 1, target).changed()));
    List<KeyRecord> contributed = new ArrayList<>();
    nodes.forEach(node -> contributed.addAll(node.read(List.copyOf(changed))));
    nodes.forEach(node -> node.merge(contributed));

    for (StoreNode node : nodes) {
      assertThat(TestNodes.stateOf(node)).as("node %d", node.node()).containsKey(key);
    }
  }

  private static Caller caller(Hvc known) {
    return new Caller(known, null, "c", 0);
  }
}
