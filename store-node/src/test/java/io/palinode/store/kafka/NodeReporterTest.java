package io.palinode.store.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.detector.binding.NodeHealth;
import io.palinode.store.binding.UndoLog;
import io.palinode.wire.ControlKeys;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.NodeReport;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class NodeReporterTest {
  private static final NodeHealth HEALTH =
      new NodeHealth(10_000L, 500_000, 0, 0, 0, null, "", OptionalLong.of(7L << 30));

  private Set<String> stores = Set.of();
  private final MockProducer<byte[], byte[]> producer =
      new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());

  @Test
  void anAgentThatTurnsItselfOffIsReportedAtOnceWithItsReason() {
    try (NodeReporter reporter =
        new NodeReporter(
            node(),
            () -> 1,
            new ControlPublisher(producer, "control", new ControlKeys()),
            new PeerClocks(0, () -> 1),
            "")) {
      reporter.start();
      await().until(() -> reports().size() == 1);
      reporter.off("x".repeat(1_000));
      await().until(() -> reports().size() == 2);
      assertThat(reports()).extracting(NodeReport::getOff).containsExactly("", "x".repeat(300));
      assertThat(reports()).extracting(NodeReport::getStorageFreeBytes).containsOnly(7L << 30);
      reporter.awaitsRepair(true);
      await().until(() -> reports().size() == 3);
      assertThat(reports().get(2).getAwaitsRepair()).isTrue();
    }
  }

  @Test
  void theStoresAreReportedUnlessTheyAreTooMany() {
    assertThat(storesReported(100)).hasSize(100);
    producer.clear();
    assertThat(storesReported(101)).isEmpty();
  }

  private List<String> storesReported(int number) {
    stores = IntStream.range(0, number).mapToObj(i -> "s" + i).collect(Collectors.toSet());
    try (NodeReporter reporter =
        new NodeReporter(
            node(),
            () -> 1,
            new ControlPublisher(producer, "control", new ControlKeys()),
            new PeerClocks(0, () -> 1),
            "")) {
      reporter.start();
      await().until(() -> reports().size() == 1);
      return reports().get(0).getStoresList();
    }
  }

  private List<NodeReport> reports() {
    return producer.history().stream().map(sent -> parsed(sent.value())).toList();
  }

  private static NodeReport parsed(byte[] value) {
    try {
      return ControlRecord.parseFrom(value).getNodeReport();
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  /** Node 0 of incarnation 1, which is asked for nothing else. */
  private UndoLog node() {
    Map<String, Object> answers =
        Map.of(
            "node",
            0,
            "incarnation",
            1L,
            "health",
            HEALTH,
            "notRestored",
            Map.of(),
            "stores",
            stores);
    return (UndoLog)
        Proxy.newProxyInstance(
            UndoLog.class.getClassLoader(),
            new Class<?>[] {UndoLog.class},
            (self, method, arguments) -> answers.get(method.getName()));
  }
}
