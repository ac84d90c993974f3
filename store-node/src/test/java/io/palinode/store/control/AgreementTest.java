package io.palinode.store.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.StoreKey;
import org.junit.jupiter.api.Test;

class AgreementTest {
  private static final StoreKey K = new StoreKey("s", new byte[] {1});
  private static final StoreKey L = new StoreKey("s", new byte[] {2});

  private final Agreement<StoreKey> agreement = new Agreement<>();

  @Test
  void aKeyThatAllReplicasHaveAlikeIsSettled() {
    agreement.add(0, K, 7, 2);
    assertThat(agreement.unsettled()).as("the other may differ").containsExactly(K);
    agreement.add(2, K, 7, 2);
    assertThat(agreement.unsettled()).isEmpty();
  }

  @Test
  void aNodeThatAcknowledgesTwiceCountsOnce() {
    agreement.add(0, K, 7, 2);
    agreement.add(0, K, 7, 2);
    assertThat(agreement.unsettled()).containsExactly(K);
  }

  @Test
  void aKeyThatDiffersOrThatANodeOmitsIsUnsettled() {
    agreement.add(0, K, 7, 2);
    agreement.add(1, K, 8, 2);
    agreement.add(0, L, 7, 2);
    agreement.add(1, L, 0, 0);
    agreement.add(1, L, 7, 2);
    assertThat(agreement.unsettled()).containsExactly(K, L);
  }
}
