package io.palinode.voldemort.server;

import static io.palinode.voldemort.server.Requests.put;
import static io.palinode.voldemort.server.TestServices.awaitQuietly;
import static io.palinode.voldemort.server.TestServices.connect;
import static io.palinode.voldemort.server.TestServices.metadata;
import static io.palinode.voldemort.server.TestServices.open;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.hvc.Hlc;
import io.palinode.store.order.ClockBehindException;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.TestNodes;
import io.palinode.voldemort.bdb.DataFolderException;
import io.palinode.voldemort.protocol.Pb0.PutResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Start and end of a node with folder and socket. */
class StoreServiceTest {
  private final AtomicLong micros = TestNodes.clock();

  @TempDir Path data;
  private StoreService service;
  private StoreNode node;

  @BeforeEach
  void start() {
    service = open(data, 0, micros::get);
    service.start();
    node = service.node();
  }

  @AfterEach
  void stop() {
    service.close();
  }

  @Test
  void aStartWaitsForAClockSlightlyBehindAndRefusesOneThatWasSetBack() {
    service.close();
    long last = Hlc.micros(node.clock().last().own());
    micros.set(last - 3_600_000_000L);
    assertThatThrownBy(() -> open(data, 0, micros::get))
        .isInstanceOf(ClockBehindException.class)
        .hasMessageContaining("set it right");
    micros.set(last - 50_000);
    service = open(data, 0, () -> micros.addAndGet(10_000));
    assertThat(micros.get()).isGreaterThanOrEqualTo(last);
  }

  @Test
  void aFailureOfAListenerFailsOnlyItsRequest() throws IOException {
    node.listen(
        event -> {
          throw new IllegalStateException("a bug");
        });
    try (RawConnection connection = connect(service)) {
      PutResponse put = connection.call(put("k", "v", 1), PutResponse.parser());
      assertThat(put.getError().getErrorCode()).isEqualTo(6);
      assertThat(put.getError().getErrorMessage()).contains("a bug");
      assertThat(metadata(connection, "node.id")).isEqualTo("0");
    }
  }

  @Test
  void aClosingNodeAnswersRequestsInFlightAndAcceptsNoMore() throws Exception {
    CountDownLatch arrived = new CountDownLatch(1);
    CountDownLatch resume = new CountDownLatch(1);
    node.listen(
        event -> {
          arrived.countDown();
          awaitQuietly(resume);
        });
    int port = service.port();
    try (RawConnection connection = connect(service);
        RawConnection idle = connect(service)) {
      connection.send(put("k", "v", 1));
      arrived.await();
      Thread closer = new Thread(service::close, "closer");
      closer.start();
      assertThat(idle.isAtEnd()).isTrue();
      assertThatThrownBy(() -> new RawConnection(port)).isInstanceOf(IOException.class);
      resume.countDown();
      assertThat(connection.answer(PutResponse.parser()).hasError()).isFalse();
      assertThat(connection.isAtEnd()).isTrue();
      closer.join(20_000);
      assertThat(closer.isAlive()).isFalse();
    } finally {
      resume.countDown();
    }
    try (StoreService again = open(data, 0, micros::get)) {
      assertThat(again.node().siblings(TestNodes.key("k"))).hasSize(1);
      assertThat(again.node().incarnation()).isEqualTo(2);
    }
  }

  @Test
  void anOccupiedPortIsNamedAndTheFolderIsReleased(@TempDir Path other) {
    assertThatThrownBy(() -> open(other, service.port(), micros::get))
        .as("before it joins in the name of the node that listens")
        .isInstanceOf(ListenException.class)
        .hasMessageContaining("port " + service.port() + " of 127.0.0.1")
        .hasMessageContaining("another socket-port");
    open(other, 0, micros::get).close();
  }

  /** As on a new disk: readers of its records skip incarnations that are not later. */
  @Test
  void aNodeOnAnEmptyFolderContinuesAfterTheIncarnationThatOthersHaveSeen() {
    assertThat(service.had(7)).isFalse();
    service.close();
    service = open(data, 0, micros::get);
    assertThat(service.node().incarnation()).isEqualTo(8);
    assertThat(service.had(7)).isTrue();
    assertThat(service.awaitsRepair()).isTrue();
    service.repaired();
    service.close();
    service = open(data, 0, micros::get);
    assertThat(service.node().incarnation()).isEqualTo(9);
    assertThat(service.awaitsRepair()).isFalse();
  }

  @Test
  void aFolderInUseIsRefusedAndStaysInUse() {
    assertThatThrownBy(() -> open(data, 0, micros::get)).isInstanceOf(DataFolderException.class);
    assertThat(node.siblings(TestNodes.key("k"))).isEmpty();
  }
}
