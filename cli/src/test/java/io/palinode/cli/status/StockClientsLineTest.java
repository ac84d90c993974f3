package io.palinode.cli.status;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.palinode.voldemort.client.PastStore.StockClients;
import org.junit.jupiter.api.Test;

class StockClientsLineTest {
  @Test
  void clientsWithoutClockAreReportedInOneLineWithTheEffect() {
    assertThat(StockClientsLine.text(new StockClients(3, 250)))
        .hasValue(
            "3 connections of stock clients, 250 writes: published without a client clock:"
                + " operations of one such client on two nodes within epsilon have no order, and no"
                + " rollback notifies it");
  }

  @Test
  void earlierClientsAreReportedToo() {
    assertThat(StockClientsLine.text(new StockClients(0, 1))).isPresent();
  }

  @Test
  void jsonHasTheNumbersAndTheEffect() {
    JsonNode some = StockClientsLine.json(new StockClients(3, 250));
    assertThat(some.path("connections").asLong()).isEqualTo(3);
    assertThat(some.path("writes").asLong()).isEqualTo(250);
    assertThat(some.path("cost").asText()).contains("have no order");
    assertThat(StockClientsLine.json(new StockClients(0, 0)).path("cost").isNull()).isTrue();
  }

  @Test
  void withoutThemNoLineIsPrinted() {
    assertThat(StockClientsLine.text(new StockClients(0, 0))).isEmpty();
  }
}
