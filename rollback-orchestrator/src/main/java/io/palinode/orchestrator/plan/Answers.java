package io.palinode.orchestrator.plan;

import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.DutyFailed;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The answers of nodes within the phases of one attempt. Immutable.
 *
 * @param stages the last duty that each node has done, before its acknowledgement
 * @param failed the nodes that cannot do their duty, each with the duty and the reason
 */
public record Answers(SortedMap<Integer, Stage> stages, SortedMap<Integer, String> failed) {
  static final Answers NONE =
      new Answers(Collections.emptySortedMap(), Collections.emptySortedMap());

  private static final int REASON_CHARS_MAX = 500;

  /** The duties whose answers the orchestrator counts only to name the nodes that are behind. */
  enum Stage {
    NONE,
    ACCESSED,
    NAMED,
    CONTRIBUTED
  }

  /** With a piece of {@code attempt}; the last piece of a node ends its duty. */
  Answers with(ControlRecord piece, int attempt) {
    return switch (piece.getStepCase()) {
      case ACCESSED ->
          piece.getAccessed().getAttempt() == attempt && piece.getAccessed().getLast()
              ? at(piece.getAccessed().getNode(), Stage.ACCESSED)
              : this;
      case NAMED ->
          piece.getNamed().getAttempt() == attempt && piece.getNamed().getLast()
              ? at(piece.getNamed().getNode(), Stage.NAMED)
              : this;
      case CONTRIBUTION ->
          piece.getContribution().getAttempt() == attempt && piece.getContribution().getLast()
              ? at(piece.getContribution().getNode(), Stage.CONTRIBUTED)
              : this;
      default -> this;
    };
  }

  /** With a node's failure; the first one counts. */
  Answers with(DutyFailed failure) {
    if (failed.containsKey(failure.getNode())) {
      return this;
    }
    String reason = failure.getReason();
    SortedMap<Integer, String> more = new TreeMap<>(failed);
    more.put(
        failure.getNode(),
        failure.getDuty()
            + ": "
            + reason.substring(0, Math.min(reason.length(), REASON_CHARS_MAX)));
    return new Answers(stages, Collections.unmodifiableSortedMap(more));
  }

  /** Without the failure of a node that has now carried out its duty. */
  Answers done(int node) {
    if (!failed.containsKey(node)) {
      return this;
    }
    SortedMap<Integer, String> fewer = new TreeMap<>(failed);
    fewer.remove(node);
    return new Answers(stages, Collections.unmodifiableSortedMap(fewer));
  }

  /** The nodes of {@code missing} that all other nodes wait for. */
  List<Integer> behind(List<Integer> missing) {
    Stage least = missing.stream().map(this::stage).min(Stage::compareTo).orElse(Stage.NONE);
    return missing.stream().filter(node -> stage(node) == least).toList();
  }

  /** Why the plan cannot continue, naming each node that failed; empty: no node failed. */
  public String failure() {
    return String.join(
        "; ",
        failed.entrySet().stream()
            .map(e -> "node %d cannot carry out %s".formatted(e.getKey(), e.getValue()))
            .toList());
  }

  private Stage stage(int node) {
    return stages.getOrDefault(node, Stage.NONE);
  }

  private Answers at(int node, Stage stage) {
    if (stage(node).compareTo(stage) >= 0) {
      return this;
    }
    SortedMap<Integer, Stage> more = new TreeMap<>(stages);
    more.put(node, stage);
    return new Answers(Collections.unmodifiableSortedMap(more), failed);
  }
}
