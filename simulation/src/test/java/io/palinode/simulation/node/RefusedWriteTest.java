package io.palinode.simulation.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.simulation.store.Answer;
import io.palinode.simulation.store.Operation;
import io.palinode.simulation.store.Request;
import io.palinode.simulation.store.SimulatedStore;
import io.palinode.simulation.store.StoreKind;
import io.palinode.simulation.world.Fault;
import io.palinode.simulation.world.Seams;
import io.palinode.simulation.world.Shape;
import io.palinode.simulation.world.World;
import io.palinode.store.binding.StoreBinding;
import io.palinode.voldemort.client.session.SessionReads.Stale;
import io.palinode.voldemort.protocol.Pb0.RequestContext;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * What a node refuses while its disk is full, and what it then names in a restore, and the model of
 * the stores with it. It is alone in its world: no client, no other node, no fault.
 */
class RefusedWriteTest {
  private static final long STARTED_MICROS = 100_000;
  private static final long PROMISE_MICROS = 100_000;
  private static final RequestContext CLIENT = RequestContext.newBuilder().setClient("c").build();

  private final List<StoreBinding> stores = new ArrayList<>();
  private final World world =
      new World(
          1,
          StoreKind.VOLDEMORT,
          EnumSet.noneOf(Fault.class),
          new Seams() {
            @Override
            public StoreBinding store(StoreBinding real) {
              stores.add(real);
              return real;
            }
          },
          Shape.Variation.NONE,
          null);
  private final NodeMachine machine = new NodeMachine(world, 0, process -> {});
  private final String key = keyOnTheNode();

  @Test
  void aWriteThatTheDiskRefusesCountsAsAChange() {
    start();
    long soon = store().clock().last().own() + Hlc.ofMicros(PROMISE_MICROS / 2);
    assertThat(store().promises(soon)).isTrue();
    world.disk(0).setFull(true);
    putIsRefused();
    assertThat(namedByTheNode()).containsExactly(key);
    assertThat(namedByTheModel()).containsExactly(key);
  }

  /** Nothing is in the window-log that is later than what is promised. */
  @Test
  void aWriteBeforeWhichTheDiskRefusesThePromiseOfTheClockDoesNot() {
    start();
    world.disk(0).setFull(true);
    world.time().runUntil(STARTED_MICROS + 3 * PROMISE_MICROS);
    putIsRefused();
    assertThat(namedByTheNode()).isEmpty();
    assertThat(namedByTheModel()).isEmpty();
  }

  /** It was answered as a fault of the node. */
  @Test
  void aStaleReadIsRefusedToo() {
    start();
    world.disk(0).setFull(true);
    world.time().runUntil(STARTED_MICROS + 3 * PROMISE_MICROS);
    VectorClock old = VectorClock.EMPTY.incremented(0, 1);
    Stale stale = new Stale(Versioned.ofText("v", old), old.incremented(0, 2), true, false);
    isRefused(new Operation.StaleRead(key, stale));
  }

  private String keyOnTheNode() {
    return IntStream.iterate(0, i -> i + 1)
        .mapToObj(i -> "k" + i)
        .filter(any -> world.store().replicas(any).contains(0))
        .findFirst()
        .orElseThrow();
  }

  private void start() {
    machine.startIn(0);
    world.time().runUntil(STARTED_MICROS);
    assertThat(process().isOpen()).isTrue();
  }

  private void putIsRefused() {
    isRefused(world.store().write(key, "v", List.of(), new SimulatedStore.Writer(0, 0, 1)));
  }

  private void isRefused(Operation operation) {
    List<Answer> answers = new ArrayList<>();
    process().receive(new Request(operation, CLIENT), answers::add);
    assertThat(answers).hasSize(1);
    assertThat(Objects.requireNonNull(answers.get(0).refusal()).message())
        .contains("no space is left");
  }

  private Set<String> namedByTheNode() {
    world.disk(0).setFull(false);
    StoreBinding store = store();
    store.pause(1);
    return store.restore(1, 1, store.clock().last().own()).changed().stream()
        .map(changed -> new String(changed.key(), StandardCharsets.UTF_8))
        .collect(Collectors.toSet());
  }

  private Set<String> namedByTheModel() {
    long now = store().clock().last().own();
    world.model().restored(0, 1, 1, now, store().reach(), now, false, any -> now);
    return world.model().near(1, 1);
  }

  private NodeProcess process() {
    return Objects.requireNonNull(machine.process());
  }

  private StoreBinding store() {
    return stores.get(0);
  }
}
