package io.palinode.detector;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.detector.terms.ActivePredicate;
import io.palinode.detector.terms.TermIndex;
import io.palinode.detector.terms.TermIndex.Match;
import io.palinode.detector.terms.WatchedTerm;
import io.palinode.hvc.Hvc;
import io.palinode.predicate.Clause;
import io.palinode.predicate.Term;
import io.palinode.predicate.form.Predicates;
import io.palinode.predicate.template.Binding;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TermIndexTest {
  private static final List<ActivePredicate> ACTIVE =
      List.of(Watched.edgeMutex(1), Watched.properColouring(3), Watched.exact(2));

  private final TermIndex index = TermIndex.of(ACTIVE);

  @Test
  void anExactKeyHasItsTerms() {
    assertThat(places("x")).containsExactly("exact 0.0 ");
    assertThat(places("z")).containsExactly("exact 1.0 ");
  }

  @Test
  void aTemplateBindsItsCaptures() {
    assertThat(places("cs_3_5_5"))
        .containsExactlyInAnyOrder("edge-mutex 0.1 a=3,b=5", "proper-colouring 0.1 a=3,b=5");
  }

  @Test
  void aKeyThatOnlyBeginsLikeATemplateHasNone() {
    assertThat(places("cs_3_5_7")).isEmpty();
    assertThat(places("cs_")).isEmpty();
    assertThat(places("xx")).isEmpty();
    assertThat(places("")).isEmpty();
  }

  @Test
  void aKeyThatIsNotUtf8HasNone() {
    byte[] key = "cs_3_5_5".getBytes(UTF_8);
    key[3] = (byte) 0xFF;
    assertThat(index.match(new StoreKey("s", key))).isEmpty();
    assertThat(places("cs_\uFFFD_5_5")).hasSize(2);
  }

  @Test
  void aTermThatNamesAStoreSpeaksOfKeysInNoOther() {
    ActivePredicate named =
        new ActivePredicate(
            "p",
            1,
            Predicates.parse(
                """
                apiVersion: palinode.io/v1
                kind: Predicate
                metadata: {name: p}
                spec:
                  violation:
                    - all: [{store: s, var: x, equals: 1}, {var: x, equals: 2}]
                """,
                "p.yaml"));
    TermIndex of = TermIndex.of(List.of(named));
    byte[] key = "x".getBytes(UTF_8);
    assertThat(of.match(new StoreKey("s", key))).hasSize(2);
    assertThat(of.match(new StoreKey("t", key)))
        .singleElement()
        .satisfies(match -> assertThat(match.term().index()).isEqualTo(1));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void theIndexFindsWhatAskingEveryTermFinds(long seed) {
    Random random = new Random(seed);
    List<ActivePredicate> active = new ArrayList<>(ACTIVE);
    for (int i = 0; i < 200; i++) {
      active.add(
          Watched.predicate(
              "p" + i, 1, "violation:\n  - all: [{var: " + randomKey(random) + ", equals: v}]"));
    }
    TermIndex large = TermIndex.of(active);
    for (int i = 0; i < 2_000; i++) {
      String key = randomKey(random);
      assertThat(places(large, key))
          .as("seed=%d key=%s", seed, key)
          .containsExactlyInAnyOrderElementsOf(byAskingEveryTerm(active, key));
    }
  }

  @Test
  void aKeyThatNoPredicateNamesAllocatesNothing() {
    MemoryNode store = MemoryNode.alone(() -> 1);
    LocalDetector detector =
        new LocalDetector(store, new CandidateRing(16, 1), instance -> 0, 1_000);
    detector.setPredicates(ACTIVE);
    detector.reset(1);
    Version version = new Version("1".getBytes(UTF_8), new byte[8]);
    Hvc hvc = store.clock().tick();
    WriteEvent event =
        new WriteEvent(
            MemoryNode.key("color_of_17"), List.of(version), version, hvc, hvc, "client", 0);
    long perWrite = allocatedBytes(() -> detector.written(event)) / WRITES;
    assertThat(perWrite).isZero();
  }

  private static final int WRITES = 100_000;

  private static long allocatedBytes(Runnable write) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 3; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < WRITES; i++) {
        write.run();
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    return least;
  }

  @Test
  void aKeyThatMatchesMayMatchBelowEachOfItsPrefixes() {
    Random random = new Random(7);
    for (int i = 0; i < 2_000; i++) {
      String key = randomKey(random);
      if (!places(key).isEmpty()) {
        for (int end = 0; end <= key.length(); end++) {
          String prefix = key.substring(0, end);
          assertThat(index.mayMatchBelow(prefix.getBytes(UTF_8))).as(prefix).isTrue();
        }
      }
    }
  }

  @Test
  void noKeyMatchesBelowAPrefixThatNoVariableHas() {
    assertThat(index.mayMatchBelow("cs_3_".getBytes(UTF_8))).isTrue();
    assertThat(index.mayMatchBelow("ct".getBytes(UTF_8))).isFalse();
    assertThat(index.mayMatchBelow("xx".getBytes(UTF_8))).isFalse();
    assertThat(TermIndex.EMPTY.mayMatchBelow(new byte[0])).isFalse();
  }

  private static String randomKey(Random random) {
    String[] parts = {"x", "y", "cs", "_", "1", "2", "é"};
    StringBuilder key = new StringBuilder("k");
    for (int i = random.nextInt(8); i >= 0; i--) {
      key.append(parts[random.nextInt(parts.length)]);
    }
    return random.nextInt(3) == 0 ? "cs_1_2_" + (1 + random.nextInt(3)) : key.toString();
  }

  private static List<String> byAskingEveryTerm(List<ActivePredicate> active, String key) {
    List<String> places = new ArrayList<>();
    for (ActivePredicate one : active) {
      List<Clause> clauses = one.predicate().violation();
      for (int c = 0; c < clauses.size(); c++) {
        for (int t = 0; t < clauses.get(c).terms().size(); t++) {
          Term term = clauses.get(c).terms().get(t);
          Binding binding = term.variable().match(key);
          if (binding != null) {
            places.add(one.name() + " " + c + "." + t + " " + binding);
          }
        }
      }
    }
    return places;
  }

  private List<String> places(String key) {
    return places(index, key);
  }

  private static List<String> places(TermIndex index, String key) {
    List<String> places = new ArrayList<>();
    for (Match match : index.match(new StoreKey("s", key.getBytes(UTF_8)))) {
      WatchedTerm term = match.term();
      places.add(term.predicate() + " " + term.clause() + "." + term.index() + " " + match.byKey());
    }
    return places;
  }
}
