package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.palinode.voldemort.client.PastStore.StockClients;
import org.junit.jupiter.api.Test;

class StockClientsLineTest {
  @Test
  void clientsThatTellNoClockAreToldInOneLineWithWhatTheyCost() {
    assertThat(StockClientsLine.text(new StockClients(3, 250)))
        .hasValue(
            "3 connections of stock clients, 250 writes: told without a clock, so what one of them did on two nodes within epsilon is not ordered, and they hear of no rollback");
  }

  @Test
  void thoseThatWereThereAreToldToo() {
    assertThat(StockClientsLine.text(new StockClients(0, 1))).isPresent();
  }

  @Test
  void programsAreToldHowManyThereAreAndWhatTheyCost() {
    JsonNode some = StockClientsLine.json(new StockClients(3, 250));
    assertThat(some.path("connections").asLong()).isEqualTo(3);
    assertThat(some.path("writes").asLong()).isEqualTo(250);
    assertThat(some.path("cost").asText()).contains("not ordered");
    assertThat(StockClientsLine.json(new StockClients(0, 0)).path("cost").isNull()).isTrue();
  }

  @Test
  void withoutThemNothingIsTold() {
    assertThat(StockClientsLine.text(new StockClients(0, 0))).isEmpty();
  }
}
