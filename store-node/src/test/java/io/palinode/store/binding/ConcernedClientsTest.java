package io.palinode.store.binding;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.wire.v1.AffectedClient;
import io.palinode.wire.v1.Concerned;
import org.junit.jupiter.api.Test;

class ConcernedClientsTest {
  private static Concerned only(String client, long standsTo) {
    return Concerned.newBuilder()
        .addClients(AffectedClient.newBuilder().setClient(client).setStandsTo(standsTo))
        .build();
  }

  @Test
  void aClientReceivesTheLeastHlcOfAllEpochsThatItMissed() {
    ConcernedClients epochs =
        ConcernedClients.NONE.with(3, only("a", 30)).with(4, only("a", 20)).with(5, only("b", 9));
    assertThat(epochs.standsTo("a", 2, 5)).isEqualTo(20);
    assertThat(epochs.standsTo("a", 4, 5)).isEqualTo(ConcernedClients.ALL_STANDS);
    assertThat(epochs.standsTo("b", 2, 5)).isEqualTo(9);
    assertThat(epochs.standsTo("c", 2, 5)).isEqualTo(ConcernedClients.ALL_STANDS);
  }

  @Test
  void aClientWithoutANameOrWithTooManyMissedEpochsReceivesNoHlc() {
    ConcernedClients epochs = ConcernedClients.NONE.with(3, only("a", 30));
    assertThat(epochs.standsTo("c", 1, 3)).isNull();
    assertThat(epochs.standsTo("", 2, 3)).isNull();
    assertThat(epochs.standsTo("c", 2, 4)).as("another epoch").isNull();
    assertThat(epochs.standsTo("c", 3, 3)).isNull();
    assertThat(ConcernedClients.NONE.standsTo("c", 2, 3)).isNull();
  }

  @Test
  void onlyTheLatestAreKept() {
    ConcernedClients epochs = ConcernedClients.NONE;
    for (int epoch = 1; epoch <= 40; epoch++) {
      epochs = epochs.with(epoch, only("a", epoch));
    }
    assertThat(epochs.epochs()).hasSize(ConcernedClients.EPOCHS_MAX);
    assertThat(epochs.standsTo("c", 24, 40)).isEqualTo(ConcernedClients.ALL_STANDS);
    assertThat(epochs.standsTo("c", 23, 40)).isNull();
  }
}
