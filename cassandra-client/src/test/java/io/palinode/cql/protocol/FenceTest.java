package io.palinode.cql.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import org.junit.jupiter.api.Test;

class FenceTest {
  @Test
  void theMessageOfAnErrorCarriesTheFence() {
    Fence served = new Fence(4, false, Hlc.of(1_700_000_000_000_000L, 12), true);
    assertThat(served.message())
        .isEqualTo(
            "palinode-fence/1 epoch=4 paused=false target=1700000000000000.12 restart=true: "
                + "the store was rolled back; read again what this request depends on");
    assertThat(Fence.parse(served.message())).isEqualTo(served);
    assertThat(Fence.parse("a driver's prefix: " + served.message())).isEqualTo(served);
    assertThat(Fence.parse(Fence.paused(5).message())).isEqualTo(Fence.paused(5));
  }

  @Test
  void anotherMessageHasNoFence() {
    assertThat(Fence.parse(null)).isNull();
    assertThat(Fence.parse("unconfigured table carts")).isNull();
    assertThat(Fence.parse(Fence.paused(5).message().replace("/1", "/2"))).isNull();
    assertThat(Fence.parse("palinode-fence/1 epoch=-1 paused=true target=0 restart=false"))
        .isNull();
  }
}
