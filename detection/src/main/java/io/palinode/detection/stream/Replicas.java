package io.palinode.detection.stream;

import io.palinode.detection.Candidate;
import io.palinode.detection.CandidateId;
import io.palinode.detection.Ended;
import io.palinode.detection.ReplicaState;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The replicas of one variable: what each has, and since when which are apart. Not thread-safe.
 *
 * <p>{@code apart[i][j]} is since when j has not had the state that i has now; that i has had all
 * that time. {@link #NEVER} when j has it, or when one of them is not known.
 */
final class Replicas {
  static final long NEVER = Long.MAX_VALUE;

  private final String name;
  private final List<Integer> nodes;
  private final @Nullable Candidate[] shown;
  private final long[] digests;
  private final long[][] apart;
  private @Nullable Report report;
  private @Nullable Ended ended;

  /**
   * That they are apart.
   *
   * @param witnesses empty if an earlier release reported it
   */
  record Report(List<CandidateId> witnesses) {}

  Replicas(String name, List<Integer> nodes) {
    this.name = name;
    this.nodes = List.copyOf(nodes);
    this.shown = new Candidate[nodes.size()];
    this.digests = new long[nodes.size()];
    this.apart = new long[nodes.size()][nodes.size()];
    for (long[] row : apart) {
      Arrays.fill(row, NEVER);
    }
  }

  String name() {
    return name;
  }

  List<Integer> nodes() {
    return nodes;
  }

  /** The node of {@code candidate} has that state from its start on; of what is old, nothing. */
  void show(Candidate candidate, long digest) {
    int at = nodes.indexOf(candidate.id().node());
    Candidate before = at < 0 ? null : shown[at];
    if (at < 0 || (before != null && isLater(before, candidate))) {
      return;
    }
    long since = candidate.interval().start().own();
    if (before != null && before.id().incarnation() < candidate.id().incarnation()) {
      forget(at);
    } else if (before != null && since < before.interval().start().own()) {
      // The state arrives late, so the absence inferred from its lack does not count.
      since = before.interval().start().own();
      forget(at);
    } else if (before != null && digests[at] == digest) {
      // A repeat: the state has not changed since.
      return;
    }
    for (int other = 0; other < nodes.size(); other++) {
      if (other != at && shown[other] != null) {
        changeApart(at, other, digest, since);
      }
    }
    shown[at] = candidate;
    digests[at] = digest;
    share(at);
    if (report != null && agree()) {
      ended = report.witnesses().isEmpty() ? null : new Ended(0, report.witnesses(), since);
      report = null;
    }
  }

  /** Absence inferred from the lack of a state: no node numbers from 0. */
  private static boolean isInferred(Candidate state) {
    return state.id().sequence() == 0;
  }

  private static boolean isLater(Candidate known, Candidate other) {
    if (isInferred(known) && known.id().incarnation() == other.id().incarnation()) {
      return false;
    }
    return known.id().incarnation() != other.id().incarnation()
        ? known.id().incarnation() > other.id().incarnation()
        : known.interval().start().own() > other.interval().start().own();
  }

  /** Between a node that comes to {@code digest} and another one. */
  private void changeApart(int at, int other, long digest, long since) {
    boolean known = shown[at] != null;
    boolean equal = digests[other] == digest;
    apart[at][other] = equal ? NEVER : since;
    if (equal) {
      apart[other][at] = NEVER;
    } else if (!known || digests[at] == digests[other]) {
      apart[other][at] = since;
    }
  }

  /** Where replicas agree, what they carry is kept once. */
  private void share(int at) {
    Candidate own = shown[at];
    for (int other = 0; other < nodes.size() && own != null; other++) {
      Candidate known = shown[other];
      if (other != at && known != null && digests[other] == digests[at]) {
        shown[at] = own.carrying(known.payload());
        return;
      }
    }
  }

  /** The node has published all its states: in this incarnation, all other variables are absent. */
  void showAbsence(CandidateId id, Hvc since) {
    int at = nodes.indexOf(id.node());
    Candidate known = at < 0 ? null : shown[at];
    if (at < 0 || (known != null && known.id().incarnation() >= id.incarnation())) {
      return;
    }
    ReplicaState absent = new ReplicaState(name, ReplicaState.ABSENT, nodes);
    show(Candidate.ofState(id, new Interval(since, null), absent, new byte[0]), absent.digest());
  }

  /** The node's state becomes unknown if it is of an incarnation before {@code incarnation}. */
  void forget(int node, long incarnation) {
    int at = nodes.indexOf(node);
    Candidate known = at < 0 ? null : shown[at];
    if (known != null && known.id().incarnation() < incarnation) {
      forget(at);
    }
  }

  private void forget(int at) {
    shown[at] = null;
    for (int other = 0; other < nodes.size(); other++) {
      apart[at][other] = NEVER;
      apart[other][at] = NEVER;
    }
  }

  /** What is known of the replicas, in the order of their nodes' numbers. */
  List<Candidate> shown() {
    List<Candidate> known = new ArrayList<>();
    for (Candidate candidate : shown) {
      if (candidate != null) {
        known.add(candidate);
      }
    }
    known.sort((a, b) -> Integer.compare(a.id().node(), b.id().node()));
    return known;
  }

  /** Since when the first two are apart; {@link #NEVER} when none are, or it was reported. */
  long unreportedSince() {
    long since = NEVER;
    for (int i = 0; i < nodes.size() && report == null; i++) {
      for (long each : apart[i]) {
        since = Math.min(since, each);
      }
    }
    return since;
  }

  /** Takes what is {@link #shown} as reported. */
  void makeReport() {
    report = new Report(shown().stream().map(Candidate::id).toList());
  }

  /** Null while the replicas agree, or are apart for too short a time. */
  @Nullable Report report() {
    return report;
  }

  /** Returns the end of a reported episode, once; null if none has ended since the last call. */
  @Nullable Ended takeEnded() {
    Ended taken = ended;
    ended = null;
    return taken;
  }

  boolean areAbsent() {
    return agree() && digests[0] == ReplicaState.ABSENT;
  }

  boolean areKnown() {
    for (Candidate candidate : shown) {
      if (candidate == null) {
        return false;
      }
    }
    return true;
  }

  /** Whether all are known, and have the same. */
  private boolean agree() {
    for (int at = 0; at < nodes.size(); at++) {
      if (shown[at] == null || digests[at] != digests[0]) {
        return false;
      }
    }
    return true;
  }

  /** Of the node at this place in {@link #nodes}; null when it is not known. */
  @Nullable Candidate shownAt(int place) {
    return shown[place];
  }

  long apart(int of, int from) {
    return apart[of][from];
  }

  /** As it was written. */
  static Replicas of(
      String name,
      List<Integer> nodes,
      List<@Nullable Candidate> shown,
      long[][] apart,
      @Nullable Report report) {
    Replicas replicas = new Replicas(name, nodes);
    for (int at = 0; at < nodes.size(); at++) {
      Candidate candidate = shown.get(at);
      ReplicaState state = candidate == null ? null : candidate.state();
      replicas.shown[at] = candidate;
      replicas.digests[at] = state == null ? 0 : state.digest();
      System.arraycopy(apart[at], 0, replicas.apart[at], 0, nodes.size());
    }
    replicas.report = report;
    return replicas;
  }
}
