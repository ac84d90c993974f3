package io.palinode.cassandra.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.cassandra.table.LargeReadException;
import java.io.IOException;
import org.apache.cassandra.db.RejectException;
import org.apache.cassandra.io.sstable.CorruptSSTableException;
import org.junit.jupiter.api.Test;

class FailedReadsTest {
  @Test
  void aReadThatCassandraRefusesIsNoFailureOfTheNode() {
    RuntimeException refused = new RejectException("too many tombstones") {};
    assertThat(FailedReads.isOne(refused)).isTrue();
    assertThat(FailedReads.isOne(new IllegalStateException(refused))).isTrue();
    assertThat(FailedReads.isOne(new IllegalStateException("a bug"))).isFalse();
  }

  @Test
  void aDeleteOfTooManyBytesIsNoFailureOfTheNode() {
    assertThat(FailedReads.isOne(new LargeReadException("shop.films", 1))).isTrue();
  }

  @Test
  void aCorruptTableIsNoFailureOfTheNode() {
    assertThat(FailedReads.isOne(new CorruptSSTableException(new IOException("crc"), "a-Data.db")))
        .isTrue();
  }
}
