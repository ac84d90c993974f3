package io.palinode.simulation.job;

import io.palinode.monitor.Notice;
import io.palinode.monitor.Sender;
import io.palinode.monitor.instance.Instance;
import io.palinode.monitor.sequence.KeptBack;
import io.palinode.monitor.sequence.SequenceCheck;
import io.palinode.simulation.world.PredicateVersion;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All that a job begins with. Immutable. */
public record Checkpoint(Predicates predicates, Source source, Detection detection) {
  /**
   * The predicates' log.
   *
   * @param read so many of its records
   */
  record Predicates(int read, @Nullable PredicateVersion newest) {}

  /**
   * The candidates' log.
   *
   * @param offsets by partition
   */
  record Source(
      List<Integer> offsets,
      List<SequenceCheck.Position> positions,
      List<KeptBack.State> keptBack,
      List<Sender> unexplained) {}

  /**
   * What detection keeps.
   *
   * @param answers what is known of answers, for a clause with {@code within}
   */
  record Detection(
      Map<String, Instance> instances,
      Map<String, Notice> restarts,
      KnownAnswers answers,
      long newestEpoch) {}

  /**
   * Of a job that has read no candidate.
   *
   * @param predicate that was always there
   */
  public static Checkpoint none(
      int partitions, int predicatesRead, @Nullable PredicateVersion predicate) {
    return new Checkpoint(
        new Predicates(predicatesRead, predicate),
        new Source(Collections.nCopies(partitions, 0), List.of(), List.of(), List.of()),
        new Detection(Map.of(), Map.of(), new KnownAnswers(), 0));
  }

  public List<Integer> offsets() {
    return source.offsets();
  }
}
