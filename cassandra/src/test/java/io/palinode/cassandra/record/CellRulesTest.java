package io.palinode.cassandra.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detector.binding.Version;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CellRulesTest {
  private static final int SEEDS = Integer.getInteger("palinode.seeds", 5_000);

  private final CellRules rules = new CellRules();

  @Test
  void ofTwoWritesTheOneStaysThatCassandraChooses() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      CellRecord left = Cells.any(random);
      CellRecord right = Cells.any(random);
      CellRecord stays = cassandraChooses(left, right);
      assertThat(merged(left, right)).as("seed=%d", seed).isEqualTo(stays);
      assertThat(merged(right, left)).as("seed=%d", seed).isEqualTo(stays);
    }
  }

  /** The steps of {@code Cells.resolveRegular} in Cassandra 5.0, in their order. */
  private static CellRecord cassandraChooses(CellRecord left, CellRecord right) {
    if (left.timestamp() != right.timestamp()) {
      return left.timestamp() > right.timestamp() ? left : right;
    }
    boolean leftEnds = left.kind() != CellRecord.Kind.LIVE;
    boolean rightEnds = right.kind() != CellRecord.Kind.LIVE;
    if (leftEnds != rightEnds) {
      return leftEnds ? left : right;
    }
    if (leftEnds) {
      boolean leftIsTombstone = left.ttl() == 0;
      if (leftIsTombstone != (right.ttl() == 0)) {
        return leftIsTombstone ? left : right;
      }
      if (left.endsAt() != right.endsAt()) {
        return left.endsAt() > right.endsAt() ? left : right;
      }
      if (left.ttl() != right.ttl()) {
        return left.ttl() < right.ttl() ? left : right;
      }
    }
    return Arrays.compareUnsigned(left.value(), right.value()) >= 0 ? left : right;
  }

  private CellRecord merged(CellRecord one, CellRecord other) {
    List<Version> merged =
        rules.merge(rules.versions(one.encode()), rules.versions(other.encode()));
    return CellRecord.decode(rules.record(merged));
  }

  @Test
  void replicasThatKnowTheSameWritesHaveEqualBytes() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      List<CellRecord> writes = new ArrayList<>();
      for (int i = random.nextInt(6); i >= 0; i--) {
        writes.add(Cells.any(random));
      }
      byte[] one = received(writes);
      Collections.shuffle(writes, random);
      writes.add(writes.get(0));
      assertThat(received(writes)).as("seed=%d", seed).isEqualTo(one);
    }
  }

  private byte[] received(List<CellRecord> writes) {
    List<Version> record = List.of();
    for (CellRecord write : writes) {
      record = rules.merge(record, rules.versions(write.encode()));
    }
    return rules.record(record);
  }

  @Test
  void theBytesOfARecordStay() {
    assertThat(HexFormat.of().formatHex(CellRecord.live(258, new byte[] {7}).encode()))
        .isEqualTo("01" + "0000000000000102" + "00" + "00000000" + "0000000000000000" + "07");
    assertThat(HexFormat.of().formatHex(CellRecord.expiring(1, 60, 90, new byte[] {8}).encode()))
        .isEqualTo("01" + "0000000000000001" + "01" + "0000003c" + "000000000000005a" + "08");
    assertThat(HexFormat.of().formatHex(CellRecord.deleted(2, 90).encode()))
        .isEqualTo("01" + "0000000000000002" + "02" + "00000000" + "000000000000005a");
  }

  @Test
  void aRecordIsReadAsItWasWritten() {
    for (long seed = 0; seed < SEEDS; seed++) {
      CellRecord cell = Cells.any(new Random(seed));
      assertThat(CellRecord.decode(cell.encode())).as("seed=%d", seed).isEqualTo(cell);
      assertThat(rules.record(rules.versions(cell.encode()))).isEqualTo(cell.encode());
    }
    assertThat(rules.versions(new byte[0])).isEmpty();
    assertThat(rules.record(List.of())).isEmpty();
  }

  @Test
  void otherBytesAreRefused() {
    byte[] cell = CellRecord.live(1, new byte[0]).encode();
    assertThatThrownBy(() -> CellRecord.decode(Arrays.copyOf(cell, cell.length - 1)))
        .isInstanceOf(IllegalArgumentException.class);
    byte[] later = cell.clone();
    later[0] = 2;
    assertThatThrownBy(() -> CellRecord.decode(later)).hasMessageContaining("version 1");
    byte[] unknown = cell.clone();
    unknown[CellRecord.BODY_AT] = 3;
    assertThatThrownBy(() -> CellRecord.decode(unknown)).hasMessageContaining("0, 1 or 2: 3");
  }

  @Test
  void aRestoredCellEndsWhenItWouldHaveEnded() {
    CellRecord cut = CellRecord.expiring(5, 60, 90, new byte[] {1});
    CellRecord restored = CellRecord.restored(cut, 1_000, 50);
    assertThat(restored).isEqualTo(CellRecord.expiring(1_000, 60, 90, new byte[] {1}));
    assertThat(restored.isLiveAt(89)).isTrue();
    assertThat(restored.isLiveAt(90)).isFalse();
    assertThat(CellRecord.restored(null, 1_000, 50)).isEqualTo(CellRecord.deleted(1_000, 50));
  }
}
