package io.palinode.retroscope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.palinode.retroscope.disklog.DiskBound;
import io.palinode.retroscope.disklog.DiskFile;
import io.palinode.retroscope.disklog.DiskLog;
import io.palinode.retroscope.disklog.DiskLogException;
import io.palinode.retroscope.disklog.LogState;
import io.palinode.retroscope.segment.Slot;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A log with changed bytes: the damage is reported, and no wrong value is read. */
class DiskLogDamageTest {
  private static final DiskBound BOUND = new DiskBound(Duration.ofDays(1), 1 << 20, 0);
  private static final DiskLog.Layout LAYOUT =
      new DiskLog.Layout(DiskFile.HEADER_BYTES + 3 * 128, 128);
  private static final int CHANGES = 80;
  private static final int KEYS = 7;

  /** Bytes between two cuts; the nightly profile cuts at each. */
  private static final int STEP = Integer.getInteger("palinode.damage.step", 7);

  private static final int[] BITS = STEP == 1 ? new int[] {1, 0x80} : new int[] {0x80};

  private final MemoryVolume written = new MemoryVolume();
  private final List<String> reported = new ArrayList<>();

  /** Change i is of key i mod {@link #KEYS}, at time i; its value was i − {@link #KEYS} before. */
  @BeforeEach
  void write() {
    WindowLog log = open(written, 0);
    for (int i = 1; i <= CHANGES; i++) {
      log.append(i, text(i % KEYS), i <= KEYS ? null : text(i - KEYS));
    }
    assertThat(written.files).hasSizeGreaterThan(2);
  }

  private WindowLog open(MemoryVolume volume, long session) {
    DiskLog disk = DiskLog.open(volume, BOUND, LAYOUT, "test", session, reported::add);
    disk.begin(session + 1);
    // Less than memory holds, so the disk is asked.
    return new WindowLog(
        new WindowLogConfig(Duration.ofHours(1), 1),
        Math.max(disk.last(), session == 0 ? 0 : CHANGES),
        Runnable::run,
        new LogLayout(64, 0, java.nio.ByteBuffer::allocate),
        disk);
  }

  /** Returns the least time that could be read. */
  private long check(MemoryVolume damaged, String what) {
    WindowLog log = open(damaged, 1);
    long reach = CHANGES;
    for (long target = CHANGES; target >= 0; target--) {
      try (Diff diff = log.diffTo(target)) {
        Map<String, String> seen = new HashMap<>();
        diff.forEach((key, old) -> seen.put(string(key), old == null ? "absent" : string(old)));
        assertThat(seen).as("%s target=%d", what, target).isEqualTo(expected(target));
        reach = target;
      } catch (OutOfReachException e) {
        // A refusal is always right: a missing oldest file equals a dropped one.
        assertThat(target).as(what).isLessThan(CHANGES);
      }
    }
    return reach;
  }

  private static Map<String, String> expected(long target) {
    Map<String, String> expected = new HashMap<>();
    for (long i = target + 1; i <= CHANGES; i++) {
      expected.putIfAbsent(Long.toString(i % KEYS), i <= KEYS ? "absent" : Long.toString(i - KEYS));
    }
    return expected;
  }

  @Test
  void withoutDamageEverythingIsThere() {
    assertThat(check(written.copy(), "whole")).isZero();
    assertThat(reported).isEmpty();
  }

  @Test
  void aFileThatWasCutAnywhereIsFound() {
    long newest = written.files.lastKey();
    written.files.forEach(
        (number, bytes) -> {
          for (int length = 0; length < bytes.length; length += STEP) {
            reported.clear();
            MemoryVolume cut = written.copy();
            cut.files.put(number, Arrays.copyOf(bytes, length));
            long reach = check(cut, "file=" + number + " length=" + length);
            assertThat(reported.get(0)).contains("file " + number).contains("memory");
            // The files after an older one are intact.
            assertThat(reach == CHANGES).isEqualTo(number == newest);
          }
        });
  }

  @Test
  void pagesThatNeverReachedTheMediumAreFound() {
    written.files.forEach(
        (number, bytes) -> {
          for (int from = 0; from < bytes.length; from += STEP) {
            if (number.equals(written.files.lastKey()) && isCountOfASlot(from)) {
              // This one word counts the newest entries, and its count is zero. A
              // kill does not reset it, and after a loss of power the log begins empty.
              continue;
            }
            MemoryVolume torn = written.copy();
            byte[] zeros = bytes.clone();
            Arrays.fill(zeros, from, bytes.length, (byte) 0);
            torn.files.put(number, zeros);
            reported.clear();
            long reach = check(torn, "file=" + number + " from=" + from);
            boolean same = Arrays.equals(zeros, bytes);
            assertThat(reach == 0).as("file=%d from=%d", number, from).isEqualTo(same);
          }
        });
  }

  private static boolean isCountOfASlot(int at) {
    return at >= DiskFile.HEADER_BYTES
        && (at - DiskFile.HEADER_BYTES) % LAYOUT.slotBytes() == Slot.HEADER_BYTES - Long.BYTES;
  }

  @Test
  void anyBitThatChangesIsFoundOrOfNoMeaning() {
    written.files.forEach(
        (number, bytes) -> {
          // Most of the header is zeros that mean nothing.
          for (int at = 0; at < bytes.length; at = at == 64 ? DiskFile.HEADER_BYTES - 8 : at + 1) {
            for (int bit : BITS) {
              MemoryVolume spoilt = written.copy();
              spoilt.file(number)[at] ^= (byte) bit;
              reported.clear();
              try {
                check(spoilt, "file=%d at=%d bit=%d".formatted(number, at, bit));
              } catch (DiskLogException refused) {
                // The byte of the version.
                assertThat(at).isEqualTo(7);
              }
            }
          }
        });
  }

  @Test
  void anyBitOfTheStateThatChangesIsFoundOrOfNoMeaning() {
    for (int at = 0; at < LogState.BYTES; at++) {
      for (int bit = 1; bit < 256; bit <<= 1) {
        MemoryVolume spoilt = written.copy();
        byte[] state = java.util.Objects.requireNonNull(spoilt.state);
        state[at] ^= (byte) bit;
        reported.clear();
        try {
          check(spoilt, "at=%d bit=%d".formatted(at, bit));
        } catch (DiskLogException refused) {
          assertThat(at).isEqualTo(7);
        }
      }
    }
  }

  @Test
  void aMissingFileCutsEarlierFilesAndTheNewestFileCutsAll() {
    for (long number : new TreeMap<>(written.files).keySet()) {
      MemoryVolume missing = written.copy();
      missing.files.remove(number);
      reported.clear();
      long reach = check(missing, "file=" + number);
      if (number == written.files.lastKey()) {
        assertThat(reported)
            .containsExactly(
                "the window-log in memory begins empty: its file " + number + " is missing");
        assertThat(reach).isEqualTo(CHANGES);
      } else {
        assertThat(reach).isLessThan(CHANGES);
      }
    }
  }

  @Test
  void aReadThatFailsLosesNothingAndTheNextOneSucceeds() {
    WindowLog log = open(written, 1);
    long reach = log.reach();
    List<Supplier<Diff>> reads =
        List.of(
            () -> log.diffTo(0),
            () -> log.diffBetween(3, CHANGES),
            () -> log.diffForward(0, 5, key -> key));
    for (Supplier<Diff> read : reads) {
      int files = written.files.size();
      written.mapsFailing = 1;
      assertThatThrownBy(read::get)
          .isInstanceOf(UncheckedIOException.class)
          .hasMessage("the window-log was not read: java.io.IOException: Map failed");
      assertThat(log.reach()).isEqualTo(reach);
      assertThat(log.diskFailure()).isNull();
      assertThat(written.files).hasSize(files);
      try (Diff diff = read.get()) {
        assertThat(diff.size()).isPositive();
      }
    }
    try (Diff diff = log.diffTo(0)) {
      assertThat(diff.size()).isEqualTo(KEYS);
    }
    written.mapsFailing = 1;
    assertThatThrownBy(() -> log.forFirstChanges(0, (hlc, key, old) -> fail("a torn answer")))
        .isInstanceOf(UncheckedIOException.class);
    assertThat(reported).isEmpty();
  }

  /** A failed read releases its files. */
  @Test
  void aReadThatFailsHoldsNoFile() {
    WindowLog log = open(written, 1);
    long oldest = written.files.firstKey();
    byte[] bytes = written.file(oldest);
    written.mapsFailing = 1;
    assertThatThrownBy(() -> log.diffTo(0)).isInstanceOf(UncheckedIOException.class);
    written.freeBytes = -bytes.length;
    for (long i = CHANGES + 1; written.files.containsKey(oldest); i++) {
      log.append(i, text(i % KEYS), text(i - KEYS));
    }
    // Else the bytes would stay for a reader.
    assertThat(bytes).containsOnly(0xEE);
  }

  @Test
  void aFileRemovedWhileTheLogIsOpenIsReportedAndLaterFilesAreKept() {
    WindowLog log = open(written, 1);
    long oldest = written.files.firstKey();
    written.files.remove(oldest);
    assertThatThrownBy(() -> log.diffTo(0)).isInstanceOf(OutOfReachException.class);
    assertThat(reported)
        .singleElement()
        .asString()
        .startsWith(
            "file %d of the window-log in memory is damaged: it is missing; times before "
                .formatted(oldest));
    assertThat(log.reach()).isBetween(1L, CHANGES - 1L);
    log.diffTo(log.reach()).close();
  }

  @Test
  void aFileInTheWrongPlaceIsNamed() {
    MemoryVolume swapped = written.copy();
    swapped.files.put(2L, written.file(1).clone());
    open(swapped, 1);
    assertThat(reported)
        .singleElement()
        .asString()
        .startsWith("file 2 of the window-log in memory is damaged: it was file 1; times before ");
  }

  @Test
  void aLogOfAnotherStoreOrReleaseIsRefusedAndKept() {
    assertThatThrownBy(() -> DiskLog.open(written, BOUND, LAYOUT, "another", 1, reported::add))
        .isInstanceOf(DiskLogException.class)
        .hasMessage(
            "the window-log in memory is that of test, not of another: remove the folder, or give it back");
    MemoryVolume later = written.copy();
    later.files.lastEntry().getValue()[7] = 3;
    assertThatThrownBy(() -> open(later, 1))
        .isInstanceOf(DiskLogException.class)
        .hasMessage(
            "file %d in memory is of format 3, this release reads 1 and 2: use the release that wrote it, or remove the folder"
                .formatted(written.files.lastKey()));
    assertThat(later.files).hasSameSizeAs(written.files);
  }

  /** An append that a crash interrupted leaves bytes behind the entries. */
  @Test
  void aTornEntryIsCut() {
    MemoryVolume before = written.copy();
    WindowLog log = open(before, 1);
    MemoryVolume begun = before.copy();
    log.append(CHANGES + 1, text(1), text(CHANGES + 1 - KEYS));
    byte[] after = before.files.lastEntry().getValue();
    byte[] torn = after.clone();
    // All bytes except the count of entries.
    int published = DiskFile.HEADER_BYTES + 16;
    Arrays.fill(torn, published, published + Long.BYTES, (byte) 0);
    begun.files.put(before.files.lastKey(), torn);
    begun.state = before.state;
    reported.clear();
    DiskLog found = DiskLog.open(begun, BOUND, LAYOUT, "test", 2, reported::add);
    assertThat(found.last()).isEqualTo(CHANGES);
    assertThat(found.reach()).isZero();
    assertThat(reported).isEmpty();
  }

  private static byte[] text(long number) {
    return History.bytes(Long.toString(number));
  }

  private static String string(byte[] bytes) {
    return History.text(bytes);
  }
}
