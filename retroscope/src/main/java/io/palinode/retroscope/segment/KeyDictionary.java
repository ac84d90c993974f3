package io.palinode.retroscope.segment;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.IntFunction;

/**
 * Numbers keys from 0 in the order in which they came, each key kept once. An open-addressed table
 * of numbers over keys that lie back to back in chunks.
 *
 * <pre>
 * slot    +------------------+-----------------------+
 *         | 8 bits of hash   | number + 1, 0 is free |     24 bits
 *         +------------------+-----------------------+
 * chunk   +--------------+-----+--------------+-----+
 *         | vint, length | key | vint, length | key | …
 *         +--------------+-----+--------------+-----+
 * </pre>
 *
 * Not thread-safe, except as {@link View} states. About 33 bytes for a key of 16.
 */
public final class KeyDictionary {
  public static final int KEYS_MAX = (1 << 24) - 2;
  private static final int TAG_SHIFT = 24;
  private static final int NUMBER_MASK = (1 << TAG_SHIFT) - 1;
  private static final int KEYS_MIN = 64;

  private final IntFunction<ByteBuffer> memory;
  private final int chunkBytes;
  private final int chunkShift;
  private ByteBuffer[] chunks = new ByteBuffer[4];
  private int chunkCount;
  private int chunkUsed;
  private long chunksBytes;
  private int[] places;
  private int[] slots;
  private int size;

  /**
   * @param keysExpected it grows beyond them at some cost
   */
  public KeyDictionary(IntFunction<ByteBuffer> memory, int chunkBytes, int keysExpected) {
    this.places = new int[Math.max(KEYS_MIN, keysExpected)];
    this.slots = new int[slotsFor(places.length)];
    this.memory = memory;
    this.chunkBytes = chunkBytes;
    this.chunkShift = Integer.SIZE - Integer.numberOfLeadingZeros(chunkBytes - 1);
  }

  public int size() {
    return size;
  }

  /** Whether there may be no room for so many keys more, in the numbers or in the chunks. */
  boolean isFullFor(int keys) {
    return size > KEYS_MAX - keys || chunkCount >= (1 << (Integer.SIZE - 2 - chunkShift));
  }

  /** The memory that it takes. */
  public long bytes() {
    return chunksBytes + 4L * (places.length + slots.length);
  }

  /** The number of the key at {@code at}, or -1. */
  int find(ByteBuffer from, int at, int length) {
    return findHashed(hash(from, at, length), from, at, length);
  }

  /** Keys to be looked up together. */
  public static final class Batch {
    public static final int KEYS_MAX = 32;

    private final int[] ats = new int[KEYS_MAX];
    private final int[] lengths = new int[KEYS_MAX];
    private final int[] numbers = new int[KEYS_MAX];
    private final int[] hashes = new int[KEYS_MAX];
    private final int[] candidates = new int[KEYS_MAX];
    private int size;

    public void clear() {
      size = 0;
    }

    public boolean isFull() {
      return size == KEYS_MAX;
    }

    public void add(int at, int length) {
      ats[size] = at;
      lengths[size++] = length;
    }

    public int size() {
      return size;
    }

    int at(int index) {
      return ats[index];
    }

    int length(int index) {
      return lengths[index];
    }

    public int number(int index) {
      return numbers[index];
    }
  }

  /** Gives each key of the batch its number, a new one if need be. */
  public void intern(ByteBuffer from, Batch batch) {
    read(from, batch);
    for (int i = 0; i < batch.size; i++) {
      batch.numbers[i] = internHashed(batch.hashes[i], from, batch.ats[i], batch.lengths[i]);
    }
  }

  /** Gives each key of the batch its number, or -1. */
  void find(ByteBuffer from, Batch batch) {
    read(from, batch);
    for (int i = 0; i < batch.size; i++) {
      batch.numbers[i] = findHashed(batch.hashes[i], from, batch.ats[i], batch.lengths[i]);
    }
  }

  /**
   * A table of many keys is in no cache, and a look-up waits for three reads that depend on each
   * other; so these are made step by step for the whole batch, where the processor waits for all of
   * them at once.
   */
  private void read(ByteBuffer from, Batch batch) {
    for (int i = 0; i < batch.size; i++) {
      batch.hashes[i] = hash(from, batch.ats[i], batch.lengths[i]);
    }
    for (int i = 0; i < batch.size; i++) {
      batch.candidates[i] = Math.max(0, (slots[slot(batch.hashes[i])] & NUMBER_MASK) - 1);
    }
    for (int i = 0; i < batch.size; i++) {
      batch.candidates[i] = places[batch.candidates[i]];
    }
    for (int i = 0; i < batch.size && size > 0; i++) {
      batch.candidates[i] = chunkOf(batch.candidates[i]).get(offsetOf(batch.candidates[i]));
    }
  }

  private ByteBuffer chunkOf(int place) {
    return chunks[place >>> chunkShift];
  }

  private int offsetOf(int place) {
    return place & ((1 << chunkShift) - 1);
  }

  /** The number of the key at {@code at}, a new one if need be. */
  public int intern(ByteBuffer from, int at, int length) {
    return internHashed(hash(from, at, length), from, at, length);
  }

  private int internHashed(int hash, ByteBuffer from, int at, int length) {
    int found = findHashed(hash, from, at, length);
    if (found >= 0) {
      return found;
    }
    if (size >= KEYS_MAX) {
      throw new IllegalStateException("keys must be at most " + KEYS_MAX);
    }
    if (size == places.length) {
      grow(size + (size >> 1));
    }
    places[size] = store(from, at, length);
    occupy(hash, size);
    return size++;
  }

  /** So many that two of three are taken at most. */
  private static int slotsFor(int keys) {
    return Math.toIntExact(keys + (keys >> 1) + 1L);
  }

  private int findHashed(int hash, ByteBuffer from, int at, int length) {
    int tag = hash << TAG_SHIFT;
    for (int i = slot(hash); slots[i] != 0; i = i + 1 == slots.length ? 0 : i + 1) {
      if (((slots[i] ^ tag) & ~NUMBER_MASK) == 0) {
        int number = (slots[i] & NUMBER_MASK) - 1;
        int place = places[number];
        ByteBuffer chunk = chunkOf(place);
        int offset = offsetOf(place);
        if (Varint.get(chunk, offset) == length
            && equal(chunk, offset + Varint.length(length), from, at, length)) {
          return number;
        }
      }
    }
    return -1;
  }

  /** The upper bits choose the slot; the lower ones distinguish keys of near slots. */
  private int slot(int hash) {
    return (int) (((hash & 0xFFFF_FFFFL) * slots.length) >>> Integer.SIZE);
  }

  private void occupy(int hash, int number) {
    int i = slot(hash);
    while (slots[i] != 0) {
      i = i + 1 == slots.length ? 0 : i + 1;
    }
    slots[i] = (hash << TAG_SHIFT) | (number + 1);
  }

  private void grow(int keys) {
    places = Arrays.copyOf(places, keys);
    slots = new int[slotsFor(keys)];
    View all = view();
    for (int number = 0; number < size; number++) {
      occupy(hash(all.chunk(number), all.at(number), all.length(number)), number);
    }
  }

  private int store(ByteBuffer from, int at, int length) {
    int needed = Varint.length(length) + length;
    if (chunkCount == 0 || chunks[chunkCount - 1].capacity() - chunkUsed < needed) {
      addChunk(Math.max(chunkBytes, needed));
    }
    ByteBuffer chunk = chunks[chunkCount - 1];
    int place = (chunkCount - 1) << chunkShift | chunkUsed;
    int keyAt = Varint.put(chunk, chunkUsed, length);
    chunk.put(keyAt, from, at, length);
    // A large key has a chunk to itself, and its end exceeds what a place can hold: nothing may
    // follow it.
    chunkUsed = chunk.capacity() > chunkBytes ? chunk.capacity() : keyAt + length;
    return place;
  }

  private void addChunk(int bytes) {
    if (chunkCount >= 1 << (Integer.SIZE - 1 - chunkShift)) {
      throw new IllegalStateException("keys must fit into " + chunkCount + " chunks");
    }
    if (chunkCount == chunks.length) {
      chunks = Arrays.copyOf(chunks, 2 * chunkCount);
    }
    // Counted when it is there: memory may be short.
    chunks[chunkCount] = memory.apply(bytes).order(ByteOrder.LITTLE_ENDIAN);
    chunkCount++;
    chunkUsed = 0;
    chunksBytes += bytes;
  }

  /** The keys that there are now. */
  View view() {
    return new View(this, chunks, places, chunkShift, size);
  }

  /**
   * The keys that there were at some moment. Reading keys is safe while others are added; finding
   * them is not.
   */
  record View(
      KeyDictionary dictionary, ByteBuffer[] chunks, int[] places, int chunkShift, int size) {
    ByteBuffer chunk(int number) {
      return chunks[places[number] >>> chunkShift];
    }

    int length(int number) {
      return (int) Varint.get(chunk(number), offset(number));
    }

    /** Where the key lies in its chunk. */
    int at(int number) {
      return offset(number) + Varint.length(length(number));
    }

    byte[] copy(int number) {
      byte[] key = new byte[length(number)];
      chunk(number).get(at(number), key);
      return key;
    }

    private int offset(int number) {
      return places[number] & ((1 << chunkShift) - 1);
    }
  }

  private static boolean equal(ByteBuffer a, int aAt, ByteBuffer b, int bAt, int length) {
    int i = 0;
    for (; i + Long.BYTES <= length; i += Long.BYTES) {
      if (a.getLong(aAt + i) != b.getLong(bAt + i)) {
        return false;
      }
    }
    for (; i < length; i++) {
      if (a.get(aAt + i) != b.get(bAt + i)) {
        return false;
      }
    }
    return true;
  }

  private static int hash(ByteBuffer from, int at, int length) {
    long hash = length;
    int i = 0;
    for (; i + Long.BYTES <= length; i += Long.BYTES) {
      hash = mix(hash ^ from.getLong(at + i));
    }
    long rest = 0;
    for (; i < length; i++) {
      rest = rest << Byte.SIZE | (from.get(at + i) & 0xFF);
    }
    hash = mix(hash ^ rest);
    return (int) (hash ^ hash >>> 32);
  }

  private static long mix(long word) {
    long mixed = (word ^ word >>> 32) * 0x9E3779B97F4A7C15L;
    return (mixed ^ mixed >>> 29) * 0xBF58476D1CE4E5B9L;
  }
}
