package io.palinode.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.palinode.hvc.Hlc;
import io.palinode.store.binding.StoreBinding;
import io.palinode.voldemort.cluster.Ring;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.Pb0.RequestType;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
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
 * What a node whose disk was full names in a restore, and the model of the stores with it. It is
 * alone in its world: no client, no other node, no fault.
 */
class RefusedWriteTest {
  private static final long STARTED_MICROS = 100_000;
  private static final long PROMISE_MICROS = 100_000;

  private final List<StoreBinding> stores = new ArrayList<>();
  private final World world =
      new World(
          1,
          EnumSet.noneOf(Fault.class),
          new Seams() {
            @Override
            public StoreBinding store(StoreBinding real) {
              stores.add(real);
              return real;
            }
          },
          false,
          null);
  private final NodeMachine machine = world.machine(0);
  private final String key = keyOnTheNode();

  @Test
  void aWriteThatTheDiskRefusesCountsAsAChange() {
    start();
    long soon = store().clock().last().own() + Hlc.ofMicros(PROMISE_MICROS / 2);
    assertThat(store().promises(soon)).isTrue();
    machine.disk().setFull(true);
    putIsRefused();
    assertThat(namedByTheNode()).containsExactly(key);
    assertThat(namedByTheModel()).containsExactly(key);
  }

  /** Nothing is in the window-log that is later than what is promised. */
  @Test
  void aWriteBeforeWhichTheDiskRefusesThePromiseOfTheClockDoesNot() {
    start();
    machine.disk().setFull(true);
    world.time().runUntil(STARTED_MICROS + 3 * PROMISE_MICROS);
    putIsRefused();
    assertThat(namedByTheNode()).isEmpty();
    assertThat(namedByTheModel()).isEmpty();
  }

  private String keyOnTheNode() {
    Ring ring = new Ring(world.cluster(), world.shape().store().replicationFactor());
    return IntStream.iterate(0, i -> i + 1)
        .mapToObj(i -> "k" + i)
        .filter(any -> ring.preferenceList(any.getBytes(StandardCharsets.UTF_8)).contains(0))
        .findFirst()
        .orElseThrow();
  }

  private void start() {
    machine.startIn(0);
    world.time().runUntil(STARTED_MICROS);
    assertThat(process().isOpen()).isTrue();
  }

  private void putIsRefused() {
    Versioned version = Versioned.ofText("v", VectorClock.EMPTY.incremented(0, 1));
    VoldemortRequest put =
        VoldemortRequest.newBuilder()
            .setType(RequestType.PUT)
            .setShouldRoute(false)
            .setStore(Shape.STORE)
            .setRequestRouteType(0)
            .setPut(
                Pb0.PutRequest.newBuilder()
                    .setKey(ByteString.copyFromUtf8(key))
                    .setVersioned(version.toProto()))
            .setPalinode(Pb0.RequestContext.newBuilder().setClient("c"))
            .build();
    List<MessageLite> answers = new ArrayList<>();
    process().receive(put, answers::add);
    assertThat(answers).hasSize(1);
    assertThat(Objects.requireNonNull(Responses.error(answers.get(0))).getErrorCode())
        .isEqualTo(ErrorCode.PERSISTENCE_FAILURE.code());
  }

  private Set<String> namedByTheNode() {
    machine.disk().setFull(false);
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
