package io.palinode.agent;

import io.palinode.detector.LocalDetector;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.detector.ring.Emission;
import io.palinode.detector.ring.Emission.KeyState;
import io.palinode.detector.terms.ActivePredicate;
import io.palinode.predicate.form.Predicates;
import io.palinode.store.engine.MemoryEngine;
import io.palinode.store.order.NodeMeta;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.RefusedException;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** The digests that a node publishes of a store's key "k". */
public final class DigestsOfANode {
  private static final String YAML =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: same}
      spec:
        violation: [{replicasDiverged: {store: %s, var: "k", longerThan: 5s}}]
      """;

  private final StoreNode node;
  private final String store;
  private final CandidateRing ring = new CandidateRing(100, 1);

  private DigestsOfANode(StoreNode node, String store) {
    this.node = node;
    this.store = store;
    LocalDetector detector = new LocalDetector(node, ring, instance -> 0, 100);
    node.listen(detector);
    detector.setPredicates(
        List.of(new ActivePredicate("same", 1, Predicates.parse(YAML.formatted(store), "same"))));
    detector.reset(0);
  }

  /** Of one that has begun, and has what it has. */
  public static DigestsOfANode of(StoreNode node, String store) {
    return new DigestsOfANode(node, store);
  }

  /** Of one of ours, which is empty. */
  public static DigestsOfANode ofOurs(StoreNodeConfig config, String store) {
    AtomicLong micros = new AtomicLong(1_000_000);
    MemoryEngine engine = new MemoryEngine(List.of("disk", "memory", NodeMeta.STORE));
    return of(new StoreNode(config, engine, micros::incrementAndGet), store);
  }

  public void put(String value, VectorClock clock) throws RefusedException {
    var unused = node.writes().put(key(), Versioned.ofText(value, clock), Caller.STOCK);
  }

  public void delete(VectorClock upTo) throws RefusedException {
    var unused = node.writes().delete(key(), upTo, Caller.STOCK);
  }

  private StoreKey key() {
    return new StoreKey(store, "k".getBytes(StandardCharsets.UTF_8));
  }

  /** Since the last time. */
  public List<Long> take() {
    List<Emission> emissions = new ArrayList<>();
    int unused = ring.drain(emissions, 100);
    return emissions.stream()
        .filter(emission -> emission instanceof KeyState)
        .map(emission -> ((KeyState) emission).digest())
        .toList();
  }
}
