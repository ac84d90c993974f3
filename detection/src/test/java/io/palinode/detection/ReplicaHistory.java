package io.palinode.detection;

import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * The random states of one variable's replicas at each moment. Nodes start and search their stores,
 * write, copy from each other late or never, delete, crash and restart. No two events share a
 * moment.
 */
final class ReplicaHistory {
  static final long MOMENT_MICROS = 1_000;
  static final long UNKNOWN = Long.MIN_VALUE;

  /** A line of a node's log. */
  record Line(int node, long incarnation, long at, Kind kind, long digest) {}

  enum Kind {
    REPORTED,
    SEARCHED,
    RESTARTED
  }

  final int nodes;
  final int moments;
  final List<Integer> replicas;
  final List<List<Line>> logs = new ArrayList<>();

  /** By node and moment. */
  final long[][] shown;

  private final Random random;
  private final long[] now;
  private final long[] incarnations;

  ReplicaHistory(Random random) {
    this.random = random;
    this.nodes = 2 + random.nextInt(3);
    this.moments = 60 + random.nextInt(200);
    List<Integer> all = new ArrayList<>();
    for (int node = 0; node < nodes; node++) {
      all.add(node);
      logs.add(new ArrayList<>());
    }
    if (nodes > 2 && random.nextBoolean()) {
      all.remove(random.nextInt(nodes));
    }
    this.replicas = List.copyOf(all);
    this.shown = new long[nodes][moments + 1];
    for (long[] row : shown) {
      Arrays.fill(row, UNKNOWN);
    }
    this.now = new long[nodes];
    this.incarnations = new long[nodes];
    Arrays.fill(incarnations, 1);
    happen();
  }

  private void happen() {
    long[] searchAt = new long[nodes];
    for (int node = 0; node < nodes; node++) {
      now[node] = random.nextInt(3);
      searchAt[node] = 1L + random.nextInt(20);
    }
    int busy = 1 + random.nextInt(12);
    for (int moment = 1; moment <= moments; moment++) {
      int node = random.nextInt(nodes);
      for (int other = 0; other < nodes; other++) {
        shown[other][moment] = shown[other][moment - 1];
      }
      if (searchAt[node] > 0 && moment >= searchAt[node]) {
        searchAt[node] = search(node, moment, searchAt[node]);
      } else if (random.nextInt(busy) == 0) {
        write(node, moment);
      } else if (random.nextInt(60) == 0 && moment > 1) {
        restart(node, moment);
        searchAt[node] = moment + 1L + random.nextInt(10);
      }
    }
  }

  /** Publishes the present state first, then the end of the search. */
  private long search(int node, int moment, long due) {
    boolean published = shown[node][moment] != UNKNOWN;
    if (now[node] != ReplicaState.ABSENT && !published) {
      publish(node, moment);
      return due;
    }
    if (!published) {
      shown[node][moment] = ReplicaState.ABSENT;
    }
    logs.get(node)
        .add(new Line(node, incarnations[node], moment, Kind.SEARCHED, ReplicaState.ABSENT));
    return 0;
  }

  private void write(int node, int moment) {
    long before = now[node];
    now[node] = random.nextInt(3) == 0 ? random.nextInt(4) : now[random.nextInt(nodes)];
    if (now[node] != before) {
      publish(node, moment);
    }
  }

  private void publish(int node, int moment) {
    shown[node][moment] = now[node];
    logs.get(node).add(new Line(node, incarnations[node], moment, Kind.REPORTED, now[node]));
  }

  /** The earlier incarnation ends right before. The node may have lost its state. */
  private void restart(int node, int moment) {
    incarnations[node]++;
    shown[node][moment] = UNKNOWN;
    now[node] = random.nextInt(3) == 0 ? ReplicaState.ABSENT : now[node];
    logs.get(node).add(new Line(node, incarnations[node], moment, Kind.RESTARTED, 0));
  }

  Hvc clock(Line line) {
    long[] entries = new long[nodes];
    entries[line.node()] = Hlc.ofMicros(line.at() * MOMENT_MICROS);
    return Hvc.of(line.node(), entries);
  }

  Candidate candidate(Line line, long sequence) {
    return Candidate.ofState(
        new CandidateId(line.node(), line.incarnation(), sequence),
        new Interval(clock(line), null),
        new ReplicaState("carts/cart", line.digest(), replicas),
        new byte[] {(byte) line.digest()});
  }

  /** Since when, and at which moment it had lasted so long, in moments. */
  record Episode(long since, long violate) {}

  /** By looking at every pair at every moment. */
  List<Episode> episodes(long lasting) {
    List<Episode> episodes = new ArrayList<>();
    boolean reported = false;
    for (int moment = 1; moment <= moments; moment++) {
      if (agree(moment)) {
        reported = false;
      }
      Long since = reported ? null : apartSince(moment, lasting);
      if (since != null) {
        reported = true;
        episodes.add(new Episode(since, since + lasting));
      }
    }
    return episodes;
  }

  private boolean agree(int moment) {
    long first = shown[replicas.get(0)][moment];
    return first != UNKNOWN && replicas.stream().allMatch(node -> shown[node][moment] == first);
  }

  private @Nullable Long apartSince(int moment, long lasting) {
    Long earliest = null;
    for (int i : replicas) {
      for (int j : replicas) {
        int since = moment;
        while (since >= 1
            && shown[i][since] != UNKNOWN
            && shown[i][since] == shown[i][moment]
            && shown[j][since] != UNKNOWN
            && shown[j][since] != shown[i][moment]) {
          since--;
        }
        // It began right after the last moment at which it was not so.
        long began = since + 1L;
        if (began + lasting <= moment && (earliest == null || began < earliest)) {
          earliest = began;
        }
      }
    }
    return earliest;
  }
}
