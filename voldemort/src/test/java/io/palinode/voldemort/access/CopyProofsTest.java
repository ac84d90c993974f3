package io.palinode.voldemort.access;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.palinode.hvc.Hlc;
import io.palinode.voldemort.access.CopyProofs.Held;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CopyProofsTest {
  private static final byte[] KEY = "0123456789abcdef0123456789abcdef".getBytes(UTF_8);
  private static final Held HELD = held(1, 2, "carts", "k", "clock", "value");
  private static final long MICROS = 1_700_000_000_000_000L;
  private static final long HLC = Hlc.ofMicros(MICROS);

  private final AtomicLong micros = new AtomicLong(MICROS);
  private final CopyProofs proofs = new CopyProofs(KEY, micros::get);

  @TempDir Path folder;

  private static Held held(
      int node, long epoch, String store, String key, String clock, String value) {
    return new Held(
        node, epoch, store, key.getBytes(UTF_8), clock.getBytes(UTF_8), value.getBytes(UTF_8));
  }

  @Test
  void aProofIsOfItsVersionOnItsNodeInItsEpochAlone() {
    ByteString proof = proofs.proof(HELD, HLC);
    assertThat(proofs.holds(HELD, proof)).isTrue();
    for (Held other :
        new Held[] {
          held(2, 2, "carts", "k", "clock", "value"),
          held(1, 3, "carts", "k", "clock", "value"),
          held(1, 2, "cart", "sk", "clock", "value"),
          held(1, 2, "carts", "kc", "lock", "value"),
          held(1, 2, "carts", "k", "clockv", "alue"),
          held(1, 2, "carts", "k", "clock", "valuf"),
        }) {
      assertThat(proofs.holds(other, proof)).as("%s", other).isFalse();
    }
    CopyProofs others = new CopyProofs((new String(KEY, UTF_8) + "x").getBytes(UTF_8), micros::get);
    assertThat(others.holds(HELD, proof)).isFalse();
  }

  @Test
  void aChangedByteOrLengthIsNoProof() {
    byte[] proof = proofs.proof(HELD, HLC).toByteArray();
    for (int bit = 0; bit < proof.length * 8; bit++) {
      byte[] changed = proof.clone();
      changed[bit / 8] ^= (byte) (1 << (bit % 8));
      assertThat(proofs.holds(HELD, ByteString.copyFrom(changed))).as("bit %d", bit).isFalse();
    }
    for (int length = 0; length < proof.length; length++) {
      assertThat(proofs.holds(HELD, ByteString.copyFrom(proof, 0, length))).isFalse();
    }
    assertThat(proofs.holds(HELD, ByteString.copyFrom(proof).concat(ByteString.copyFrom(proof))))
        .isFalse();
  }

  @Test
  void anOldProofDoesNotHold() {
    ByteString proof = proofs.proof(HELD, HLC);
    micros.set(MICROS + CopyProofs.AGE_MICROS_MAX);
    assertThat(proofs.holds(HELD, proof)).isTrue();
    micros.incrementAndGet();
    assertThat(proofs.holds(HELD, proof)).isFalse();
    micros.set(MICROS - 1_000_000);
    assertThat(proofs.holds(HELD, proof)).as("of a node whose clock is ahead").isTrue();
  }

  @Test
  void theBytesStay() {
    assertThat(HexFormat.of().formatHex(proofs.proof(HELD, HLC).toByteArray()))
        .isEqualTo("60a24181e400000031b3c8403ddc7248359a45e53603234c");
  }

  @Test
  void aKeyThatCannotBeUsedIsNamed() throws Exception {
    Path file = folder.resolve("key");
    assertThatThrownBy(() -> CopyProofs.read(file, micros::get))
        .hasMessageStartingWith("cannot read " + file);
    Files.write(file, new byte[CopyProofs.KEY_BYTES_MIN - 1]);
    assertThatThrownBy(() -> CopyProofs.read(file, micros::get))
        .hasMessage(file + ": a key of copies has 32 to 4096 bytes: bytes=31");
    Files.write(file, KEY);
    assertThat(CopyProofs.read(file, micros::get).holds(HELD, proofs.proof(HELD, HLC))).isTrue();
  }
}
