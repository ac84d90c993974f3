package io.palinode.simulation.exhaustive;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.HvcClock;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.retroscope.snapshot.RollbackTimes;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.binding.StoreBinding;
import io.palinode.store.order.FenceState;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * A store with a few keys, each with the number of its newest version; and all that it was. It can
 * be copied, and is not thread-safe.
 */
final class SmallStore implements StoreBinding {
  static final String NAME = "s";

  /** Between a key's versions and the times of the world. */
  private record Moment(long hlc, int key, int version) {}

  private final int node;
  private final int nodes;
  private final int[] versions;
  private final List<Moment> past;
  private long incarnation;
  private long reach;
  private long hlc;
  private long epoch;
  private boolean paused;
  private long servedEpoch;
  private long servedTarget;
  private long restoredEpoch;
  private int restoredAttempt;

  /** The incarnation that restored last; a later one has nothing to compare. */
  private long restoredBy;

  SmallStore(int node, int nodes, int keys) {
    this.node = node;
    this.nodes = nodes;
    this.versions = new int[keys];
    this.past = new ArrayList<>();
    this.incarnation = 1;
  }

  private SmallStore(SmallStore same) {
    this.node = same.node;
    this.nodes = same.nodes;
    this.versions = same.versions.clone();
    this.past = new ArrayList<>(same.past);
    this.incarnation = same.incarnation;
    this.reach = same.reach;
    this.hlc = same.hlc;
    this.epoch = same.epoch;
    this.paused = same.paused;
    this.servedEpoch = same.servedEpoch;
    this.servedTarget = same.servedTarget;
    this.restoredEpoch = same.restoredEpoch;
    this.restoredAttempt = same.restoredAttempt;
    this.restoredBy = same.restoredBy;
  }

  SmallStore copy() {
    return new SmallStore(this);
  }

  /** The process ended and starts again: the past and the pause are lost. */
  void startAgain() {
    incarnation++;
    epoch = servedEpoch;
    paused = false;
    reach = ++hlc;
  }

  /** Which requests it serves. */
  FenceState fence() {
    Long target = servedEpoch == 0 || paused ? null : servedTarget;
    return new FenceState(epoch, paused, target, 0, MissedEpochs.NONE);
  }

  int version(int key) {
    return versions[key];
  }

  /** Takes a version unless it has it, or a newer one. Returns its time; 0: it had. */
  long write(int key, int version, long receivedHlc) {
    hlc = Math.max(hlc, receivedHlc) + 1;
    if (versions[key] >= version) {
      return 0;
    }
    become(key, version);
    return hlc;
  }

  /** The version that the key had then. */
  int versionAt(int key, long then) {
    int version = 0;
    for (Moment moment : past) {
      version = moment.key() == key && moment.hlc() <= then ? moment.version() : version;
    }
    return version;
  }

  private void become(int key, int version) {
    versions[key] = version;
    past.add(new Moment(hlc, key, version));
  }

  void addTo(Fingerprint print) {
    for (int version : versions) {
      print.add(version);
    }
    for (Moment moment : past) {
      print.add(moment.hlc() * 31 + moment.key() * 7L + moment.version());
    }
    print.add(incarnation, reach, hlc, epoch * 2 + (paused ? 1 : 0));
    print.add(servedEpoch, servedTarget);
    print.add(restoredEpoch * 1_000 + restoredAttempt, restoredBy);
  }

  @Override
  public int node() {
    return node;
  }

  @Override
  public int nodes() {
    return nodes;
  }

  @Override
  public long incarnation() {
    return incarnation;
  }

  /** A clock that only counts. */
  @Override
  public HvcClock clock() {
    HvcClock clock = new HvcClock(node, nodes, Epsilon.parse("inf"), () -> 0, Duration.ofHours(1));
    clock.tickPast(Math.max(0, hlc - 1));
    return clock;
  }

  void passed(long clock) {
    hlc = Math.max(hlc, clock + 1);
  }

  @Override
  public void listen(WriteListener listener) {}

  @Override
  public void atomically(Runnable action) {
    action.run();
  }

  @Override
  public long reach() {
    return reach;
  }

  @Override
  public long pause(long ofEpoch) {
    if (ofEpoch > epoch) {
      epoch = ofEpoch;
      paused = true;
    }
    return ++hlc;
  }

  @Override
  public Restoration restore(long ofEpoch, int attempt, long target) {
    if (isDone(ofEpoch, attempt)) {
      return compared();
    }
    requirePaused();
    if (reach > target) {
      throw new OutOfReachException(target, reach, hlc);
    }
    hlc++;
    for (int key = 0; key < versions.length; key++) {
      int then = versionAt(key, target);
      if (then != versions[key]) {
        become(key, then);
      }
    }
    done(ofEpoch, attempt);
    restoredBy = incarnation;
    return compared();
  }

  private Restoration compared() {
    if (restoredBy != incarnation) {
      return new Restoration(0, keys());
    }
    List<Integer> all = IntStream.range(0, nodes).boxed().toList();
    Map<StoreKey, Replica> replicas = new LinkedHashMap<>();
    keys().forEach(key -> replicas.put(key, new Replica(1L + versions[key.key()[0]], all)));
    return new Restoration(0, keys(), replicas);
  }

  @Override
  public Restoration keep(long ofEpoch, int attempt, long target) {
    if (!isDone(ofEpoch, attempt)) {
      requirePaused();
      done(ofEpoch, attempt);
    }
    return new Restoration(0, keys());
  }

  /** Each key is one slice. */
  @Override
  public Restoration keepAll(long ofEpoch, int attempt) {
    return keep(ofEpoch, attempt, 0);
  }

  @Override
  public List<KeyRecord> readSlices(List<StoreKey> slices, long target, boolean kept) {
    return read(slices);
  }

  @Override
  public void pass(long toHlc) {
    clock().tickPast(toHlc);
  }

  @Override
  public boolean promises(long hlc) {
    return true;
  }

  @Override
  public long restoredEpoch() {
    return restoredEpoch;
  }

  private boolean isDone(long ofEpoch, int attempt) {
    return restoredEpoch > ofEpoch || (restoredEpoch == ofEpoch && restoredAttempt >= attempt);
  }

  private void done(long ofEpoch, int attempt) {
    restoredEpoch = ofEpoch;
    restoredAttempt = attempt;
  }

  private List<StoreKey> keys() {
    List<StoreKey> keys = new ArrayList<>();
    for (int key = 0; key < versions.length; key++) {
      keys.add(new StoreKey(NAME, new byte[] {(byte) key}));
    }
    return keys;
  }

  @Override
  public List<KeyRecord> read(List<StoreKey> keys) {
    return keys.stream().map(this::record).toList();
  }

  private KeyRecord record(StoreKey key) {
    byte[] bytes = ByteBuffer.allocate(Integer.BYTES).putInt(versions[key.key()[0]]).array();
    return new KeyRecord(key, bytes, new byte[0]);
  }

  @Override
  public List<Version> siblings(StoreKey key) {
    return List.of();
  }

  @Override
  public int merge(List<KeyRecord> records) {
    requirePaused();
    int changed = 0;
    hlc++;
    for (KeyRecord record : records) {
      int key = record.key().key()[0];
      int version = ByteBuffer.wrap(record.siblings()).getInt();
      if (version > versions[key]) {
        become(key, version);
        changed++;
      }
    }
    return changed;
  }

  @Override
  public void scan(ScanVisitor visitor) {}

  @Override
  public void resume(long ofEpoch, long target, long sequentialUntilMicros) {
    if (ofEpoch < epoch) {
      throw new IllegalStateException("node " + node + " is past epoch " + ofEpoch);
    }
    epoch = ofEpoch;
    paused = false;
    servedEpoch = ofEpoch;
    servedTarget = target;
  }

  @Override
  public void rollbacks(RollbackTimes times) {
    // No part reads the past here.
  }

  @Override
  public void safePoint(long ofHlc) {}

  private void requirePaused() {
    if (!paused) {
      throw new IllegalStateException("node " + node + " must be paused in epoch " + epoch);
    }
  }
}
