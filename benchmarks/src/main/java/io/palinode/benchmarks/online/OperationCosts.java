package io.palinode.benchmarks.online;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.palinode.detector.LocalDetector;
import io.palinode.detector.ring.CandidateEncoder;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.detector.ring.Emission;
import io.palinode.detector.terms.ActivePredicate;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcCodec;
import io.palinode.predicate.form.Predicates;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.store.engine.MemoryEngine;
import io.palinode.store.order.NodeMeta;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.client.link.Ask;
import io.palinode.voldemort.client.session.SeenVersions;
import io.palinode.voldemort.client.session.SessionReads;
import io.palinode.voldemort.client.session.SessionReads.Stale;
import io.palinode.voldemort.client.session.SessionReads.Start;
import io.palinode.voldemort.cluster.Node;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import io.palinode.voldemort.request.Pb0Requests;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What an operation on one key pays for predicates about operations: the requests of a client, and
 * what a node publishes because of them. What a client states, and what the node judges, is decided
 * by the classes of both; requests are not sent over sockets.
 */
public final class OperationCosts {
  private static final int NODES = 3;
  private static final String STORE = "default";
  private static final byte[] KEY = "balance_7".getBytes(UTF_8);
  private static final String VALUE = "100";
  private static final int KEYS_MAX = 10;
  private static final int RING = 1_000;
  private static final long EPOCH = 1;
  private static final long MILLIS = 1_700_000_000_000L;

  // Three versions of the key, each of which supersedes the one before it, and the last one.
  private static final VectorClock FIRST = VectorClock.EMPTY.incremented(0, MILLIS);
  private static final VectorClock SECOND = FIRST.incremented(0, MILLIS + 1);
  private static final VectorClock THIRD = SECOND.incremented(0, MILLIS + 2);
  private static final VectorClock LAST = THIRD.incremented(0, MILLIS + 3);

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
    return List.of(
        put("put", new Watched("lostUpdate: true"), null),
        put("put, one version seen", new Watched("lostUpdate: true"), new SeenVersions(KEYS_MAX)),
        lost(),
        get("get", new Watched("staleRead: true"), false),
        get("stale get", new Watched("staleRead: true"), true),
        get("get that goes back", new Watched("nonMonotonicRead: true"), true),
        put("put for which equals holds", new Watched("equals: \"100\""), null));
  }

  /** After a read of the only version, by a client that states what it has seen, or nothing. */
  private static Cost put(String name, Watched node, @Nullable SeenVersions seen) {
    new Client(node, "teller-1", null).put(FIRST, "50");
    Client client = new Client(node, "teller-2", seen);
    client.get();
    return node.cost(name, () -> client.put(SECOND, VALUE));
  }

  private static Cost lost() {
    Watched node = new Watched("lostUpdate: true");
    Client other = new Client(node, "teller-1", null);
    Client client = new Client(node, "teller-2", new SeenVersions(KEYS_MAX));
    other.put(FIRST, "50");
    client.get();
    other.put(SECOND, "70");
    return node.cost("put that loses an update", () -> client.put(THIRD, VALUE));
  }

  /** Perhaps after this session has read a later version from another node. */
  private static Cost get(String name, Watched node, boolean isStale) {
    new Client(node, "teller-1", null).put(FIRST, VALUE);
    Client client = new Client(node, "teller-2", null);
    client.get();
    if (isStale) {
      client.returned(List.of(Versioned.ofText("70", SECOND)), client.begin());
    }
    return node.cost(name, client::get);
  }

  /** A client that keeps what its session has seen, as a program's client does. */
  private static final class Client {
    private final Watched node;
    private final String id;
    private final @Nullable SeenVersions seen;
    private final SessionReads reads = new SessionReads(KEYS_MAX);

    Client(Watched node, String id, @Nullable SeenVersions seen) {
      this.node = node;
      this.id = id;
      this.seen = seen;
    }

    void put(VectorClock clock, String value) {
      List<VectorClock> stated = seen == null ? null : seen.of(STORE, KEY);
      node.answer(id, Ask.put(STORE, KEY, Versioned.ofText(value, clock), stated));
    }

    Start begin() {
      return reads.begin(EPOCH);
    }

    void get() {
      Start start = begin();
      Pb0.GetResponse answer = (Pb0.GetResponse) node.answer(id, Ask.get(STORE, KEY));
      returned(answer.getVersionedList().stream().map(Versioned::fromProto).toList(), start);
    }

    /** States each version that is stale to the node. */
    void returned(List<Versioned> versions, Start start) {
      for (Stale stale : reads.read(STORE, KEY, start, EPOCH, versions)) {
        node.answer(id, Ask.staleRead(STORE, KEY, stale.toProto()));
      }
      if (seen != null) {
        seen.read(STORE, KEY, versions.stream().map(Versioned::clock).toList());
      }
    }
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

    private final CandidateRing ring = new CandidateRing(RING, 1);
    private final StoreNode node;
    private final Pb0Requests requests;
    private int answered;
    private int bytes;

    Watched(String comparison) {
      AtomicLong micros = new AtomicLong(1_000 * MILLIS);
      node =
          new StoreNode(
              StoreNodeConfig.of(
                  0,
                  new io.palinode.voldemort.cluster.Cluster("bench", List.of(), nodes()),
                  List.of(StoreDefinition.of(STORE, Persistence.MEMORY, NODES, 1, 1))),
              new MemoryEngine(List.of(STORE, NodeMeta.STORE)),
              micros::incrementAndGet);
      requests = new Pb0Requests(node, new LocalSnapshots(0, node.history(), Path.of("unused")));
      LocalDetector detector = new LocalDetector(node, ring, instance -> 0, RING);
      node.listen(detector);
      String yaml = YAML.formatted(comparison);
      detector.setPredicates(
          List.of(new ActivePredicate("watched", 1, Predicates.parse(yaml, "watched"))));
      detector.reset(1);
    }

    private static List<Node> nodes() {
      return IntStream.range(0, NODES)
          .mapToObj(id -> new Node(id, "127.0.0.1", 1, 1, 1, 0, List.of(id, id + NODES)))
          .toList();
    }

    /** Counts the request, and answers it. */
    MessageLite answer(String client, Ask<?> ask) {
      answered++;
      bytes += ask.request().getSerializedSize();
      Pb0.RequestContext context =
          Pb0.RequestContext.newBuilder()
              .setHvc(ByteString.copyFrom(HvcCodec.encode(Hvc.unknown(NODES))))
              .setClient(client)
              .build();
      MessageLite answer = requests.answer(ask.request().toBuilder().setPalinode(context).build());
      requireDone(answer);
      return answer;
    }

    private static void requireDone(MessageLite answer) {
      boolean refused =
          answer instanceof Pb0.GetResponse get
              ? get.hasError()
              : !(answer instanceof Pb0.PutResponse put) || put.hasError();
      if (refused) {
        throw new IllegalStateException("the node must do what it is asked");
      }
    }

    /** Of the operation, until another client supersedes what it wrote or read. */
    Cost cost(String name, Runnable operation) {
      published();
      int answeredBefore = answered;
      int bytesBefore = bytes;
      operation.run();
      int requestsOfIt = answered - answeredBefore;
      int bytesOfIt = bytes - bytesBefore;
      new Client(this, "teller-3", null).put(LAST, "");
      List<Integer> published = published();
      node.close();
      return new Cost(
          name,
          requestsOfIt,
          bytesOfIt,
          published.size(),
          published.stream().mapToInt(Integer::intValue).sum());
    }

    /** The sizes of the records of openings and closings since the last call. */
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
