package io.palinode.simulation.check;

import io.palinode.detector.binding.Version;
import io.palinode.hvc.Hlc;
import io.palinode.voldemort.client.session.RolledBack;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** What clients were promised, and which rollbacks they were notified of. */
public final class ClientChecks {
  /** Processes of one client, one after the other: their numbers follow each other. */
  public static final int RUNS_MAX = 1_000;

  private record Acknowledged(
      int client, long epoch, int node, long acceptedAt, String key, Version version) {
    boolean isOf(String ofKey, Version of) {
      return key.equals(ofKey) && version.isSameWriteAs(of);
    }
  }

  private record OldRead(
      int client, long epoch, String key, Version read, @Nullable Version later) {}

  private final VersionOrder order;
  private final List<Acknowledged> acknowledged = new ArrayList<>();
  private final List<OldRead> oldReads = new ArrayList<>();
  private final Map<Integer, List<RolledBack>> notices = new HashMap<>();

  public ClientChecks(VersionOrder order) {
    this.order = order;
  }

  /** {@code node} had accepted it first, at {@code acceptedAt}. */
  public void acknowledged(
      int client, long epoch, int node, long acceptedAt, String key, Version version) {
    acknowledged.add(new Acknowledged(client, epoch, node, acceptedAt, key, version));
  }

  public void notified(int client, RolledBack rolledBack) {
    notices.computeIfAbsent(client, c -> new ArrayList<>()).add(rolledBack);
  }

  /**
   * A client found that it read an old version.
   *
   * @param later what it had written before; null: it had read something later
   */
  public void readOld(int client, long epoch, String key, Version read, @Nullable Version later) {
    oldReads.add(new OldRead(client, epoch, key, read, later));
  }

  public int oldReads() {
    return oldReads.size();
  }

  /** Throws unless each old version was accepted before a write of the client that stood then. */
  public void requireOldReads(ControlChecks control) {
    for (OldRead old : oldReads) {
      Version later = old.later();
      if (later == null) {
        continue;
      }
      boolean isOld =
          acknowledged.stream()
              .filter(each -> each.client() == old.client() && each.isOf(old.key(), later))
              .filter(each -> !isTakenBackBy(each, control, old.epoch()))
              .anyMatch(each -> isBefore(old, each));
      if (!isOld) {
        throw new BrokenInvariant(Invariant.STALE_READ, old + " counts as old");
      }
    }
  }

  private boolean isBefore(OldRead old, Acknowledged write) {
    return acknowledged.stream()
        .filter(each -> each.isOf(old.key(), old.read()))
        .allMatch(each -> each.acceptedAt() < write.acceptedAt());
  }

  public int acknowledgements() {
    return acknowledged.size();
  }

  /**
   * Throws unless each acknowledged write stands at the node that accepted it first, or was taken
   * back, or deleted since. To be asked when all is quiet.
   *
   * @param stored what a node has of a key
   */
  public void requireKept(
      ControlChecks control, StoreModel model, BiFunction<Integer, String, List<Version>> stored) {
    for (Acknowledged write : acknowledged) {
      if (isTakenBack(write, control)
          || model.isDeletedAfter(write.key(), write.version(), write.acceptedAt(), control)) {
        continue;
      }
      boolean stands =
          stored.apply(write.node(), write.key()).stream()
              .anyMatch(version -> order.isAtMost(write.version(), version));
      if (!stands) {
        throw new BrokenInvariant(
            Invariant.ACKNOWLEDGED_WRITE,
            "%s is lost, node %d has %s"
                .formatted(text(write), write.node(), stored.apply(write.node(), write.key())));
      }
    }
  }

  /**
   * Throws unless a client's notices are right: for one rollback its exact target, for several at
   * most the least target.
   *
   * @param epochOf the epoch that a client knows of now; ended clients know none
   */
  public void requireNotices(ControlChecks control, Map<Integer, Long> epochOf) {
    for (Map.Entry<Integer, List<RolledBack>> ofClient : notices.entrySet()) {
      for (RolledBack one : ofClient.getValue()) {
        long least = Long.MAX_VALUE;
        for (long epoch = one.fromEpoch() + 1; epoch <= one.toEpoch(); epoch++) {
          ControlChecks.Ended plan = control.ended(epoch);
          least = plan == null ? least : Math.min(least, plan.standsTo(name(ofClient.getKey())));
        }
        boolean isExact = one.toEpoch() == one.fromEpoch() + 1;
        if (isExact ? one.target() != least : one.target() > least) {
          throw new BrokenInvariant(
              Invariant.ACKNOWLEDGED_WRITE,
              "client %d was notified of %s, the target was %s"
                  .formatted(ofClient.getKey(), one, Hlc.format(least)));
        }
      }
    }
    for (Acknowledged write : acknowledged) {
      Long knows = epochOf.get(write.client());
      if (knows != null
          && isTakenBackBy(write, control, knows)
          && notices.getOrDefault(write.client(), List.of()).stream()
              .noneMatch(t -> t.toEpoch() > write.epoch() && t.target() < write.acceptedAt())) {
        throw new BrokenInvariant(
            Invariant.ACKNOWLEDGED_WRITE,
            text(write) + " was undone, and its client was not notified");
      }
    }
  }

  private static boolean isTakenBack(Acknowledged write, ControlChecks control) {
    return isTakenBackBy(write, control, control.truth().epoch());
  }

  private static boolean isTakenBackBy(Acknowledged write, ControlChecks control, long newest) {
    for (long epoch = write.epoch() + 1; epoch <= newest; epoch++) {
      ControlChecks.Ended plan = control.ended(epoch);
      if (plan != null && plan.standsTo(name(write.client())) < write.acceptedAt()) {
        return true;
      }
    }
    return false;
  }

  /** As a client's process names itself to nodes. */
  private static String name(int client) {
    return "c%d.%d".formatted(client / RUNS_MAX, client % RUNS_MAX);
  }

  private static String text(Acknowledged write) {
    return "%s %s of client %d, acknowledged in epoch %d at %s"
        .formatted(
            write.key(),
            Write.versionOf(write.key(), write.version().clock(), write.version().timestampMs()),
            write.client(),
            write.epoch(),
            Hlc.format(write.acceptedAt()));
  }
}
