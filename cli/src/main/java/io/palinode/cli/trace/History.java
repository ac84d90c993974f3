package io.palinode.cli.trace;

import io.palinode.terminal.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/** The operations of a history as they are read. Not thread-safe. */
final class History {
  private final int operationsMax;
  private final LongConsumer progress;
  private final List<Operation> operations = new ArrayList<>();
  private final Map<String, Integer> passedOver = new TreeMap<>();

  /** {@code progress} receives the number of operations after each. */
  History(int operationsMax, LongConsumer progress) {
    this.operationsMax = operationsMax;
    this.progress = progress;
  }

  /** Refuses operations beyond the limit. */
  void add(Operation operation) {
    if (operations.size() >= operationsMax) {
      throw new Refusal(
          "the history has more than %,d operations; raise --operations-max, and PALINODE_HEAP"
              .formatted(operationsMax));
    }
    operations.add(operation);
    progress.accept(operations.size());
  }

  /** Counts an operation that has no meaning here. */
  void passOver(String reason) {
    passedOver.merge(reason, 1, Integer::sum);
  }

  List<Operation> operations() {
    return operations;
  }

  /** How many were passed over, by reason. */
  Map<String, Integer> passedOver() {
    return passedOver;
  }

  /** The last HLC of a start or an end. */
  long last() {
    return operations.stream()
        .mapToLong(
            each -> each.completed() == Operation.UNKNOWN ? each.invoked() : each.completed())
        .max()
        .orElse(0);
  }

  /** The number of clocks, at least one. */
  int nodes() {
    return 1 + operations.stream().mapToInt(Operation::node).max().orElse(0);
  }
}
