package io.palinode.simulation.check;

import io.palinode.detector.binding.Version;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.HvcCodec;
import io.palinode.wire.v1.AffectedClient;
import io.palinode.wire.v1.Concerned;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.LetStand;
import io.palinode.wire.v1.Moment;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import io.palinode.wire.v1.Witness;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Whether a rollback that undoes only some of what was written undoes the right part. Two answers
 * are found beside what the nodes found, both slowly: what depends on a witness by what clients
 * were given and what they sent then, which must be undone; and what the rule of ADR 0020 makes of
 * what nodes accepted and answered, which must be undone exactly.
 */
public final class AffectedChecks {
  /** A write, whichever nodes have it. */
  private record Write(String client, String key, Version version) {}

  private record Accepted(int node, long hlc, Write write, boolean copy) {}

  private record Read(int node, long hlc, String client, String key) {}

  /** What a client did, in the order of real time. */
  private record Step(String client, @Nullable Write sent, List<Write> given) {}

  private final ToLongFunction<String> keyOf;
  private final List<Accepted> accepted = new ArrayList<>();
  private final List<Read> reads = new ArrayList<>();
  private final List<Step> steps = new ArrayList<>();
  private final Map<List<Object>, Set<Write>> byVersion = new HashMap<>();
  private final Map<Integer, Map<Long, Long>> cuts = new TreeMap<>();
  private @Nullable Restore asked;
  private int checked;
  private final List<LetStand> letStand = new ArrayList<>();
  private long epochBegan;

  /**
   * @param keyOf what stands for a key
   */
  public AffectedChecks(ToLongFunction<String> keyOf) {
    this.keyOf = keyOf;
  }

  /** Plans that undid only some. */
  public int checked() {
    return checked;
  }

  /** A client sends a put, as no copy. */
  public void sent(String client, String key, Version version) {
    steps.add(new Step(client, write(client, key, version), List.of()));
  }

  /** A client has got what a node has of a key. */
  public void given(String client, String key, List<Version> versions) {
    List<Write> known =
        versions.stream()
            .flatMap(version -> byVersion.getOrDefault(List.of(key, version), Set.of()).stream())
            .toList();
    steps.add(new Step(client, null, known));
  }

  /** A node answered a read of a key, or refused a put as obsolete. */
  public void answered(int node, long hlc, String client, String key) {
    reads.add(new Read(node, hlc, client, key));
  }

  public void accepted(
      int node, long hlc, String client, String key, Version version, boolean copy) {
    accepted.add(new Accepted(node, hlc, write(client, key, version), copy));
  }

  /** Two clients may write one version: it is a write of each. */
  private Write write(String client, String key, Version version) {
    Write write = new Write(client, key, version);
    byVersion.computeIfAbsent(List.of(key, version), unknown -> new HashSet<>()).add(write);
    return write;
  }

  /** A node undoes these keys, each to its own time. */
  public void undoes(int node, int attempt, Map<Long, Long> keys) {
    Restore now = asked;
    if (now == null || now.getAttempt() != attempt) {
      // A node that is behind in the log.
      return;
    }
    cuts.put(node, keys);
    for (Map<Long, Long> others : cuts.values()) {
      require(others.equals(keys), "nodes do not undo the same: " + cuts);
    }
  }

  /**
   * A record took effect.
   *
   * @param detection what was reported so far, and of what
   */
  public void appended(ControlRecord record, DetectionChecks detection) {
    if (record.hasRestore()) {
      requireWitnesses(record, detection.all());
      asked = record.getRestore().hasAffected() ? record.getRestore() : null;
      cuts.clear();
    } else if (record.hasResume()) {
      Restore now = asked;
      require(
          (now != null) == record.getResume().hasConcerned(),
          "an epoch that undid only some names whom it concerns: epoch=" + record.getEpoch());
      if (now != null) {
        checked++;
        check(now, record.getResume().getConcerned());
        if (letStand.isEmpty()) {
          detection.requireNothingStands(
              new DetectionChecks.EpochLeft(record.getEpoch() - 1, epochBegan + 1),
              this::isUndone,
              this::isEndUndone);
        }
      }
      epochBegan = record.getResume().getClock();
      forget();
    } else if (record.getGate().hasLetStand()) {
      letStand.add(record.getGate().getLetStand());
    }
  }

  /** Of all that was reported in the epoch that ends. */
  private void requireWitnesses(ControlRecord record, Collection<Violation> reported) {
    Restore restore = record.getRestore();
    if (!restore.hasAffected()) {
      return;
    }
    for (Violation violation : reported) {
      boolean acts =
          violation.getEpoch() == record.getEpoch() - 1
              && violation.getGrade() != ViolationGrade.UNCERTAIN
              && !isLetStand(violation);
      for (Witness witness : violation.getWitnessesList()) {
        long began = HvcCodec.decode(witness.getStart().toByteArray()).get(witness.getNode());
        Moment moment = Moment.newBuilder().setNode(witness.getNode()).setHlc(began).build();
        require(
            !acts
                || began <= restore.getTarget()
                || restore.getAffected().getWitnessesList().contains(moment),
            "a witness of violation %s is not undone".formatted(violation.getId()));
      }
    }
  }

  /** An operator, or the budget, lets it; or it was there when its epoch began. */
  private boolean isLetStand(Violation violation) {
    return violation.getViolate() <= epochBegan + 1
        || letStand.stream()
            .anyMatch(
                let ->
                    let.getFromHlc() <= violation.getViolate()
                        && violation.getViolate() <= let.getToHlc());
  }

  private void forget() {
    asked = null;
    cuts.clear();
    accepted.clear();
    reads.clear();
    steps.clear();
  }

  private void check(Restore restore, Concerned concerned) {
    Map<Long, Long> undone = undone();
    Set<Write> began = witnesses(restore);
    requireDependents(restore.getTarget(), began, undone);
    requireExact(restore.getTarget(), began, undone, concerned);
  }

  private Set<Write> witnesses(Restore restore) {
    Set<Write> began = new HashSet<>();
    for (Moment witness : restore.getAffected().getWitnessesList()) {
      accepted.stream()
          .filter(each -> each.node() == witness.getNode() && each.hlc() == witness.getHlc())
          .forEach(each -> began.add(each.write()));
    }
    return began;
  }

  /** Writes of clients that had read a value derived from a witness. */
  private void requireDependents(long target, Set<Write> began, Map<Long, Long> undone) {
    Set<Write> dependent = new HashSet<>(began);
    Set<String> seen = new HashSet<>();
    Set<Write> before = new HashSet<>();
    for (Step step : steps) {
      Write sent = step.sent();
      if (sent == null) {
        if (step.given().stream().anyMatch(dependent::contains)) {
          seen.add(step.client());
        }
      } else if (before.add(sent) && (seen.contains(step.client()) || began.contains(sent))) {
        dependent.add(sent);
        seen.add(step.client());
      }
    }
    for (Accepted each : accepted) {
      require(
          each.copy()
              || each.hlc() <= target
              || !dependent.contains(each.write())
              || isUndone(each, undone),
          "%s came of a witness, and stands".formatted(text(each)));
    }
  }

  private Map<Long, Long> undone() {
    return cuts.values().stream().findFirst().orElse(Map.of());
  }

  /** Whether a version was written and is undone; by its name, as intervals have it. */
  private boolean isUndone(String version) {
    return accepted.stream()
        .anyMatch(
            each ->
                !each.copy() && nameOf(each.write()).equals(version) && isUndone(each, undone()));
  }

  private static String nameOf(Write write) {
    return io.palinode.simulation.check.Write.versionOf(
        write.key(), write.version().clock(), write.version().timestampMs());
  }

  /**
   * Whether the write at its node right after the end of an interval, which ended it, is undone.
   */
  private boolean isEndUndone(Interval interval) {
    long end = interval.end == null ? Long.MAX_VALUE : interval.end.own();
    return accepted.stream()
        .filter(each -> each.node() == interval.watch.node() && each.hlc() > end)
        .filter(each -> interval.version.startsWith(each.write().key() + "@"))
        .min(Comparator.comparingLong(Accepted::hlc))
        .map(ending -> isUndone(nameOf(ending.write())))
        .orElse(false);
  }

  private boolean isUndone(Accepted write, Map<Long, Long> undone) {
    Long cut = undone.get(keyOf.applyAsLong(write.write().key()));
    return cut != null && cut < write.hlc();
  }

  /** By going through everything again and again. */
  private void requireExact(
      long target, Set<Write> began, Map<Long, Long> undone, Concerned concerned) {
    Set<Write> gone = new HashSet<>();
    Map<String, Long> seen = new TreeMap<>();
    while (spread(target, began, gone, seen)) {}
    for (Accepted each : accepted) {
      if (!each.copy() && each.hlc() > target) {
        boolean must = gone.contains(each.write());
        require(
            must == isUndone(each, undone),
            "%s must %s undone: %s".formatted(text(each), must ? "be" : "not be", undone));
      }
    }
    Map<String, Long> notified = new TreeMap<>();
    for (AffectedClient client : concerned.getClientsList()) {
      notified.put(client.getClient(), client.getStandsTo() + 1);
    }
    require(
        notified.equals(seen), "%s are concerned, and %s are notified".formatted(seen, notified));
  }

  private boolean spread(long target, Set<Write> began, Set<Write> gone, Map<String, Long> seen) {
    int before = gone.size();
    Map<String, Long> seenBefore = Map.copyOf(seen);
    for (Accepted each : accepted) {
      if (!each.copy() && each.hlc() > target && isGone(each, began, gone, seen)) {
        gone.add(each.write());
        seen.merge(each.write().client(), each.hlc(), Math::min);
      }
    }
    for (Read read : reads) {
      if (read.hlc() > target && accepted.stream().anyMatch(each -> shows(each, read, gone))) {
        seen.merge(read.client(), read.hlc(), Math::min);
      }
    }
    return gone.size() > before || !seen.equals(seenBefore);
  }

  private boolean isGone(
      Accepted write, Set<Write> began, Set<Write> gone, Map<String, Long> seen) {
    return began.contains(write.write())
        || seen.getOrDefault(write.write().client(), Long.MAX_VALUE) < write.hlc()
        || accepted.stream()
            .anyMatch(
                earlier ->
                    !earlier.copy()
                        && earlier.hlc() <= write.hlc()
                        && earlier.write().key().equals(write.write().key())
                        && gone.contains(earlier.write()));
  }

  private static boolean shows(Accepted write, Read to, Set<Write> gone) {
    return write.node() == to.node()
        && write.hlc() <= to.hlc()
        && write.write().key().equals(to.key())
        && gone.contains(write.write());
  }

  private static String text(Accepted write) {
    return "%s of %s, accepted by node %d at %s"
        .formatted(
            nameOf(write.write()), write.write().client(), write.node(), Hlc.format(write.hlc()));
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new BrokenInvariant(Invariant.AFFECTED, otherwise);
    }
  }
}
