package io.palinode.simulation.client;

import io.palinode.detector.binding.Version;
import io.palinode.simulation.node.NodeMachine;
import io.palinode.simulation.node.NodeProcess;
import io.palinode.simulation.world.Texts;
import io.palinode.simulation.world.WatchedMutex;
import io.palinode.simulation.world.World;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A program that enters critical sections, each shared with one other program, optimistically: it
 * reads whether the other is in, writes that it is in, stays for a while, and writes that it is
 * out. In between it writes keys that all programs write. After a rollback it starts again.
 */
public final class ClientProcess {
  private static final int READS_BACK = 2;

  private final World world;
  private final List<NodeMachine> machines;
  private final int id;
  private final String name;
  private final List<String> own = new ArrayList<>();
  private final List<String> others = new ArrayList<>();
  private ClientCalls calls;
  private int runs;
  private int written;
  private boolean sequential;
  private long lastDoneMicros = -1;

  public ClientProcess(World world, List<NodeMachine> machines, int id) {
    this.world = world;
    this.machines = machines;
    this.id = id;
    this.name = "client" + id;
    for (int other = 0; other < world.shape().clients().count(); other++) {
      if (other != id) {
        own.add(WatchedMutex.flag(id, other, id));
        others.add(WatchedMutex.flag(id, other, other));
      }
    }
    this.calls = new ClientCalls(world, machines, id, runs);
  }

  /** The number of the process that runs now. */
  public int number() {
    return calls.client();
  }

  /** The epoch of the latest call; the client has notices of all rollbacks before. */
  public long epoch() {
    return calls.epoch();
  }

  /** The process of a node is gone, and with it the connections to it. */
  public void disconnect(NodeProcess peer) {
    calls.disconnect(peer);
  }

  /** When its last write was acknowledged; -1: none was. */
  public long lastDoneMicros() {
    return lastDoneMicros;
  }

  public void start() {
    hello();
  }

  /** Kills the process; another one starts soon. */
  public void kill() {
    end();
    world.time().in(world.dice().between(1_000, 50_000), this::hello);
  }

  /** Kills the process; another one starts after so long. */
  public void kill(long awayMicros) {
    end();
    world.time().in(awayMicros, this::hello);
  }

  private void end() {
    world.trace().add(name, "killed", () -> "");
    calls.die();
    runs++;
    calls = new ClientCalls(world, machines, id, runs);
  }

  /** It enters no critical section any more. */
  public void calmDown() {
    sequential = true;
  }

  private void hello() {
    ClientCalls mine = calls;
    mine.hello(
        known -> {
          if (known) {
            leaveAll(mine);
          } else {
            world.time().in(10_000, this::hello);
          }
        });
  }

  /** Whatever it was doing before, it begins outside of all critical sections. */
  private void leaveAll(ClientCalls mine) {
    leave(mine, new ArrayDeque<>(own));
  }

  private void leave(ClientCalls mine, Deque<String> flags) {
    String flag = flags.peek();
    if (flag == null) {
      think(mine);
      return;
    }
    mine.get(
        flag,
        outcome -> {
          boolean isIn =
              outcome instanceof Outcome.Done found && WatchedMutex.IN.equals(value(found));
          if (isIn || !(outcome instanceof Outcome.Done)) {
            put(mine, flag, world.shape().watched().out(), () -> next(mine, flags));
          } else {
            next(mine, flags);
          }
        });
  }

  private void next(ClientCalls mine, Deque<String> flags) {
    flags.remove();
    leave(mine, flags);
  }

  private @Nullable String value(Outcome.Done found) {
    Version version = world.store().resolve(found.found());
    return version == null ? null : Texts.value(version);
  }

  private void think(ClientCalls mine) {
    world.time().in(world.dice().mostlyNear(1_000, 40_000), () -> act(mine));
  }

  private void act(ClientCalls mine) {
    if (world.shape().watched().isOfLostUpdates() && (sequential || world.dice().percent(60))) {
      update(mine);
      return;
    }
    if (world.shape().watched().isOfStaleReads() && (sequential || world.dice().percent(60))) {
      readBack(mine);
      return;
    }
    if (sequential || world.dice().percent(25)) {
      String key = sharedKey();
      put(mine, key, deletes() ? null : name + "." + written++, () -> think(mine));
      return;
    }
    int edge = world.dice().below(own.size());
    if (world.dice().percent(10)) {
      enter(mine, own.get(edge));
      return;
    }
    read(
        mine,
        others.get(edge),
        outcome -> {
          if (outcome instanceof Outcome.Done found && !WatchedMutex.IN.equals(value(found))) {
            enter(mine, own.get(edge));
          } else {
            think(mine);
          }
        });
  }

  /** Mostly of a value that it has read; another program may be faster. */
  private void update(ClientCalls mine) {
    String key = sequential ? name : sharedKey();
    if (sequential || world.dice().percent(10)) {
      put(mine, key, name + "." + written++, () -> think(mine));
      return;
    }
    read(
        mine,
        key,
        outcome -> {
          if (outcome instanceof Outcome.Done) {
            put(mine, key, name + "." + written++, () -> think(mine));
          } else {
            think(mine);
          }
        });
  }

  /** Reads what it has written. In the end it only writes, and another key. */
  private void readBack(ClientCalls mine) {
    String key = sequential ? name : sharedKey();
    String value = deletes() && !sequential ? null : name + "." + written++;
    put(mine, key, value, () -> readAgain(mine, key, sequential ? 0 : READS_BACK));
  }

  private void readAgain(ClientCalls mine, String key, int times) {
    if (times == 0) {
      think(mine);
      return;
    }
    read(mine, key, outcome -> readAgain(mine, key, times - 1));
  }

  /** Reads; a rollback ends the task. */
  private void read(ClientCalls mine, String key, Consumer<Outcome> then) {
    mine.get(
        key,
        outcome -> {
          if (outcome instanceof Outcome.TakenBack) {
            leaveAll(mine);
          } else {
            then.accept(outcome);
          }
        });
  }

  private String sharedKey() {
    return WatchedMutex.SHARED + world.dice().below(WatchedMutex.SHARED_KEYS);
  }

  private void enter(ClientCalls mine, String flag) {
    put(
        mine,
        flag,
        WatchedMutex.IN,
        () -> world.time().in(world.dice().mostlyNear(1_000, 40_000), () -> leave(mine, flag)));
  }

  private void leave(ClientCalls mine, String flag) {
    put(mine, flag, deletes() ? null : world.shape().watched().out(), () -> think(mine));
  }

  /** Whether it deletes now what it could write otherwise. */
  private boolean deletes() {
    return world.shape().clients().deletes() && world.dice().percent(40);
  }

  /** Puts, or deletes without a value. Repeats a failure; a rollback ends the task. */
  private void put(ClientCalls mine, String key, @Nullable String value, Runnable then) {
    world.trace().add(name, "asks", () -> key + "=" + value);
    Consumer<Outcome> ended =
        outcome -> {
          if (outcome instanceof Outcome.Done) {
            lastDoneMicros = world.time().nowMicros();
            world.trace().add(name, "has", () -> key + "=" + value);
            then.run();
          } else if (outcome instanceof Outcome.TakenBack) {
            leaveAll(mine);
          } else {
            world.trace().add(name, "failed", () -> key + "=" + value + " " + outcome);
            world.time().in(5_000, () -> put(mine, key, value, then));
          }
        };
    if (value == null) {
      mine.delete(key, ended);
    } else {
      mine.put(key, value, ended);
    }
  }
}
