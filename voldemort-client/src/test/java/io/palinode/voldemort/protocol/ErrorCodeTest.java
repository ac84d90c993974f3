package io.palinode.voldemort.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ErrorCodeTest {
  @Test
  void codesAreThoseOfTheWire() {
    assertThat(Arrays.stream(ErrorCode.values()).map(ErrorCode::code))
        .containsExactly(
            1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22);
    assertThat(ErrorCode.of(4)).isEqualTo(ErrorCode.OBSOLETE_VERSION);
    assertThat(ErrorCode.of(9)).isEqualTo(ErrorCode.INVALID_METADATA);
    assertThat(ErrorCode.of(22)).isEqualTo(ErrorCode.STORE_NOT_FOUND);
  }

  @Test
  void unknownCodeIsAnUnknownFailure() {
    assertThat(ErrorCode.of(5)).isEqualTo(ErrorCode.UNKNOWN_FAILURE);
    assertThat(ErrorCode.of(-1)).isEqualTo(ErrorCode.UNKNOWN_FAILURE);
  }
}
