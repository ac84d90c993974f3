package voldemort.store.routed;

import java.util.ArrayList;
import java.util.List;
import voldemort.versioning.Versioned;

/** Shaped like Voldemort's class of this name; written for tests. */
public class ReadRepairer<K, V> {
  /** A node without versions gets each version of the others. */
  public List<NodeValue<K, V>> getRepairs(List<NodeValue<K, V>> nodeValues) {
    List<NodeValue<K, V>> repairs = new ArrayList<>();
    for (NodeValue<K, V> lacking : nodeValues) {
      for (NodeValue<K, V> having : nodeValues) {
        Versioned<V> version = having.getVersioned();
        if (lacking.getVersioned().getValue() == null && version.getValue() != null) {
          repairs.add(new NodeValue<>(lacking.getNodeId(), lacking.getKey(), version));
        }
      }
    }
    return repairs;
  }
}
