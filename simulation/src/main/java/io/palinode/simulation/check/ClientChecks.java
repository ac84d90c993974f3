package io.palinode.simulation.check;

import io.palinode.detector.binding.Version;
import io.palinode.hvc.Hlc;
import io.palinode.voldemort.client.session.RolledBack;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

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

  /** How a session came to a version. */
  public enum How {
    READ,
    WROTE,
    /** It read this only to supersede it. */
    FOUND
  }

  private record Had(int client, long epoch, String key, Version version, How how) {}

  /**
   * That a version was read is against the order in which its session had it and a later one.
   *
   * @param isWritten whether the session had written the later one; else read
   * @param isAgain whether the session had read the old one before it read the later one
   */
  public record OldRead(
      String key, Version read, Version later, boolean isWritten, boolean isAgain) {
    /** Whether this way of having the old version before the later one counts. */
    boolean mayBegin(How how) {
      return isWritten || how == (isAgain ? How.READ : How.WROTE);
    }
  }

  /**
   * @param before what the session had then, in order
   */
  private record Found(int client, long epoch, OldRead read, List<Had> before) {}

  private final VersionOrder order;
  private final List<Acknowledged> acknowledged = new ArrayList<>();
  private final List<Had> had = new ArrayList<>();
  private final List<Found> oldReads = new ArrayList<>();
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

  /** An operation of this epoch ended, which had these versions. */
  public void had(int client, long epoch, String key, List<Version> versions, How how) {
    versions.forEach(version -> had.add(new Had(client, epoch, key, version, how)));
  }

  /** A client found that it read an old version. */
  public void readOld(int client, long epoch, OldRead read) {
    List<Had> before =
        had.stream()
            .filter(each -> each.client() == client && each.epoch() == epoch)
            .filter(each -> each.key().equals(read.key()))
            .toList();
    oldReads.add(new Found(client, epoch, read, before));
  }

  public int oldReads() {
    return oldReads.size();
  }

  /**
   * Throws unless each version that counts as old is less than the later one, and the session had
   * both in this order, in the epoch of the read. If it wrote the later one, that stood then, and
   * the old one was accepted first. A clock may count twice, so the order of acceptance is not
   * required of two reads.
   */
  public void requireOldReads(ControlChecks control, StoreModel model) {
    for (Found found : oldReads) {
      OldRead old = found.read();
      boolean isOld =
          order.isAtMost(old.read(), old.later())
              && !order.isAtMost(old.later(), old.read())
              && (!old.isWritten() || stood(found, control))
              && isInOrder(found, model);
      if (!isOld) {
        throw new BrokenInvariant(
            Invariant.STALE_READ,
            "client %d reads %s in epoch %d, older than %s, which it %s; it had %s"
                .formatted(
                    found.client(),
                    text(old.key(), old.read()),
                    found.epoch(),
                    text(old.key(), old.later()),
                    old.isWritten() ? "wrote" : "read",
                    found.before().stream()
                        .map(each -> text(each.key(), each.version()) + " " + each.how())
                        .toList()));
      }
    }
  }

  private boolean stood(Found found, ControlChecks control) {
    OldRead old = found.read();
    return acknowledged.stream()
        .filter(each -> each.client() == found.client() && each.isOf(old.key(), old.later()))
        .anyMatch(each -> !isTakenBackBy(each, control, found.epoch()));
  }

  private static boolean isInOrder(Found found, StoreModel model) {
    OldRead old = found.read();
    How laterBy = old.isWritten() ? How.WROTE : How.READ;
    Version begun = null;
    for (Had had : found.before()) {
      if (begun != null
          && had.how() == laterBy
          && had.version().isSameWriteAs(old.later())
          && (!old.isWritten() || model.isBefore(old.key(), begun, had.version()))) {
        return true;
      }
      if (begun == null && old.mayBegin(had.how()) && had.version().isSameWriteAs(old.read())) {
        begun = had.version();
      }
    }
    return false;
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

  private static String text(String key, Version version) {
    return Write.versionOf(key, version.clock(), version.timestampMs());
  }

  private static String text(Acknowledged write) {
    return "%s %s of client %d, acknowledged in epoch %d at %s"
        .formatted(
            write.key(),
            text(write.key(), write.version()),
            write.client(),
            write.epoch(),
            Hlc.format(write.acceptedAt()));
  }
}
