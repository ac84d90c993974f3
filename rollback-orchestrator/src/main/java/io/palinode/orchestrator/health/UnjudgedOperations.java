package io.palinode.orchestrator.health;

import io.palinode.orchestrator.Alert;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A node that judges no operations of clients while a predicate in force is about them: the
 * predicate finds nothing there. Immutable.
 *
 * @param word of the predicate's term, such as {@code lostUpdate}
 * @param why what the node is
 */
public record UnjudgedOperations(String predicate, String word, int node, String why) {
  public Finding finding() {
    return Finding.fault("predicate " + predicate, what(), wayOut());
  }

  Alert alert(long nowMicros) {
    return alert("predicate '%s': %s; %s".formatted(predicate, what(), wayOut()), nowMicros);
  }

  /** Of its cause, which has ended. */
  Alert end(long nowMicros) {
    return alert(
            "predicate '%s' is no longer applied at a node that does not judge %s: node %d"
                .formatted(predicate, word, node),
            nowMicros)
        .endedAt(nowMicros);
  }

  private Alert alert(String summary, long nowMicros) {
    return Alert.toOperator(
        Alert.Kind.OPERATIONS_NOT_JUDGED,
        Map.of("predicate", predicate, "node", Integer.toString(node)),
        summary,
        nowMicros);
  }

  private String what() {
    return "%s finds nothing at node %d, because %s, which does not judge the operations of clients"
        .formatted(word, node, why);
  }

  private String wayOut() {
    return "run 'palinode delete %s', or run 'palinode run node' as node %d"
        .formatted(predicate, node);
  }

  /** Raises one alert for each node and predicate, and its end. Not thread-safe. */
  public static final class Alerts {
    private final Map<Key, UnjudgedOperations> alerted = new HashMap<>();

    private record Key(String predicate, int node) {
      static Key of(UnjudgedOperations each) {
        return new Key(each.predicate(), each.node());
      }
    }

    /**
     * @param present all that there are now
     */
    public List<Alert> due(List<UnjudgedOperations> present, long nowMicros) {
      List<Alert> due = new ArrayList<>();
      List<Key> keys = present.stream().map(Key::of).toList();
      alerted.entrySet().stream()
          .filter(each -> !keys.contains(each.getKey()))
          .forEach(each -> due.add(each.getValue().end(nowMicros)));
      alerted.keySet().retainAll(keys);
      present.stream()
          .filter(each -> alerted.put(Key.of(each), each) == null)
          .forEach(each -> due.add(each.alert(nowMicros)));
      return due;
    }
  }
}
