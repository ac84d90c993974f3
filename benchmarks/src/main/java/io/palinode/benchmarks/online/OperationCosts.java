package io.palinode.benchmarks.online;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.palinode.detector.LocalDetector;
import io.palinode.detector.binding.SeenBefore;
import io.palinode.detector.binding.StaleRead;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Unseen;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.detector.ring.CandidateEncoder;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.detector.ring.Emission;
import io.palinode.detector.terms.ActivePredicate;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hvc;
import io.palinode.predicate.form.Predicates;
import io.palinode.voldemort.client.link.Ask;
import io.palinode.voldemort.client.session.SessionReads.Stale;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What an operation on one key pays for predicates about operations: the bytes of its request, and
 * what its node publishes because of it. The encoders are those of the client and of the node.
 */
public final class OperationCosts {
  private static final int NODES = 3;
  private static final String STORE = "default";
  private static final String CLIENT = "teller-1";
  private static final byte[] KEY = "balance_7".getBytes(UTF_8);
  private static final String VALUE = "100";
  private static final int RING = 1_000;

  private static final VectorClock OLDER = VectorClock.EMPTY.incremented(0, 1_700_000_000_000L);
  private static final VectorClock CLOCK = OLDER.incremented(0, 1_700_000_000_001L);
  private static final Versioned PUT = Versioned.ofText(VALUE, CLOCK);

  private OperationCosts() {}

  /**
   * One kind of operation.
   *
   * @param requests that the client sends to the node
   * @param requestBytes of all of them, without the context of each request
   * @param candidates openings and closings that the node publishes
   * @param candidateBytes the values of these records
   */
  public record Cost(
      String operation, int requests, int requestBytes, int candidates, int candidateBytes) {}

  public static List<Cost> measured() {
    int put = bytes(Ask.put(STORE, KEY, PUT));
    int putWithSeen = bytes(Ask.put(STORE, KEY, PUT, List.of(OLDER)));
    int get = bytes(Ask.get(STORE, KEY));
    Stale stale = new Stale(Versioned.ofText(VALUE, OLDER), CLOCK, false, true);
    int staleGet = get + bytes(Ask.staleRead(STORE, KEY, stale.toProto()));
    return List.of(
        cost("put", 1, put, Watched.by("lostUpdate: true").put(null)),
        cost("put, one version seen", 1, putWithSeen, Watched.by("lostUpdate: true").put(null)),
        cost("put that loses an update", 1, putWithSeen, Watched.by("lostUpdate: true").lose()),
        cost("get", 1, get, List.of()),
        cost("stale get", 2, staleGet, Watched.by("staleRead: true").readStale()),
        cost("get that goes back", 2, staleGet, Watched.by("nonMonotonicRead: true").readStale()),
        cost("put for which equals holds", 1, put, Watched.by("equals: \"100\"").put(null)));
  }

  private static int bytes(Ask<?> ask) {
    return ask.request().getSerializedSize();
  }

  private static Cost cost(String name, int requests, int bytes, List<Integer> published) {
    return new Cost(
        name,
        requests,
        bytes,
        published.size(),
        published.stream().mapToInt(Integer::intValue).sum());
  }

  /** A node in memory whose detector watches one predicate. For one operation. */
  private static final class Watched {
    private static final String YAML =
        """
        apiVersion: palinode.io/v1
        kind: Predicate
        metadata: {name: watched}
        spec:
          forEach: {account: "{a}"}
          violation:
            - all: [{var: "balance_{a}", %s}]
        """;

    private final UnstoredNode node;
    private final CandidateRing ring = new CandidateRing(RING, 1);
    private final LocalDetector detector;

    private Watched(String yaml) {
      AtomicLong micros = new AtomicLong(1_700_000_000_000_000L);
      node = new UnstoredNode(0, NODES, Epsilon.ofMicros(1_000), micros::incrementAndGet);
      detector = new LocalDetector(node, ring, instance -> 0, RING);
      node.listen(detector);
      ActivePredicate predicate =
          new ActivePredicate("watched", 1, Predicates.parse(yaml, "watched"));
      detector.setPredicates(List.of(predicate));
      detector.reset(1);
    }

    static Watched by(String comparison) {
      return new Watched(YAML.formatted(comparison));
    }

    List<Integer> put(@Nullable Unseen unseen) {
      write(PUT, unseen);
      write(Versioned.ofText("", CLOCK.incremented(0, CLOCK.timestampMs())), null);
      return published();
    }

    List<Integer> lose() {
      return put(new Unseen(List.of(version(PUT.value(), OLDER)), List.of(OLDER.identityBytes())));
    }

    List<Integer> readStale() {
      SeenBefore later = new SeenBefore(version(new byte[0], CLOCK), false);
      Version read = version(PUT.value(), OLDER);
      detector.readStale(new StaleRead(key(), read, later, true, node.clock().tick(), CLIENT));
      write(PUT, null);
      return published();
    }

    private void write(Versioned put, @Nullable Unseen unseen) {
      Version version = version(put.value(), put.clock());
      Hvc before = node.clock().tick();
      Hvc after = node.clock().tick();
      detector.written(
          new WriteEvent(
              key(), List.of(version), version, before, after, CLIENT, node.node(), unseen));
    }

    private static Version version(byte[] value, VectorClock clock) {
      return new Version(value, clock.identityBytes(), clock.timestampMs(), 0);
    }

    private static StoreKey key() {
      return new StoreKey(STORE, KEY);
    }

    /** The sizes of the records of openings and closings. */
    private List<Integer> published() {
      List<Emission> drained = new ArrayList<>();
      ring.drain(drained, RING);
      CandidateEncoder encoder = new CandidateEncoder(node.node(), node.incarnation());
      List<Integer> sizes = new ArrayList<>();
      for (Emission emission : drained) {
        if (emission instanceof Emission.Opened opened) {
          sizes.add(encoder.opened(opened).getSerializedSize());
        } else if (emission instanceof Emission.Closed closed) {
          sizes.add(encoder.closed(closed).getSerializedSize());
        }
      }
      return sizes;
    }
  }
}
