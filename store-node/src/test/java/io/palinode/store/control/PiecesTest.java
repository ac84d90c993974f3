package io.palinode.store.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.palinode.wire.v1.KeyVersions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PiecesTest {
  @Test
  void nothingIsOneEmptyPiece() {
    assertThat(Pieces.of(List.<KeyVersions>of(), 10)).containsExactly(List.of());
  }

  @Test
  void anElementThatIsTooLongStandsAlone() {
    assertThat(Pieces.of(List.of(entry(5), entry(500), entry(5)), 100))
        .containsExactly(List.of(entry(5)), List.of(entry(500)), List.of(entry(5)));
  }

  @Test
  void piecesKeepTheOrderAndTheLimit() {
    Random random = new Random(4);
    List<KeyVersions> all = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      all.add(entry(random.nextInt(200)));
    }
    List<List<KeyVersions>> pieces = Pieces.of(all, 1_000);
    assertThat(pieces.stream().flatMap(List::stream)).containsExactlyElementsOf(all);
    assertThat(pieces)
        .allSatisfy(
            piece ->
                assertThat(piece.stream().mapToInt(KeyVersions::getSerializedSize).sum())
                    .isLessThanOrEqualTo(1_000));
    assertThat(pieces).hasSizeLessThan(150);
  }

  private static KeyVersions entry(int bytes) {
    return KeyVersions.newBuilder().setSiblings(ByteString.copyFrom(new byte[bytes])).build();
  }
}
