package io.palinode.agent.boot;

import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The entry points of woven methods, and the agent's only static state. Woven code reaches nothing
 * else.
 *
 * <p>Only these exceptions reach the server: a {@link Refusal}, those of a {@link Lifecycle}, and
 * errors of the virtual machine. Without a listener a call costs one or two field reads.
 *
 * <p>A listener that throws in {@link Listener#failed}, as for lack of memory, is cut off, except
 * from ends of record locks. It cannot be notified of that, so its owner must check {@link
 * #isCutOff}.
 */
public final class Hooks {
  private static volatile @Nullable Listener listener;

  /** The listener that was cut off after a failure. */
  private static volatile @Nullable Listener cutOff;

  private static volatile @Nullable Lifecycle lifecycle;

  private Hooks() {}

  /** Sets the listener; null for none. Running methods still end. */
  public static void listen(@Nullable Listener next) {
    cutOff = null;
    listener = next;
  }

  /** Whether the listener was cut off, so that it misses writes. */
  public static boolean isCutOff() {
    return cutOff != null;
  }

  public static void attend(@Nullable Lifecycle next) {
    lifecycle = next;
  }

  public static @Nullable Frame enter(
      Operation operation, Object engine, @Nullable Object key, @Nullable Object argument) {
    Listener now = listener;
    if (now == null && operation.endsLock()) {
      now = cutOff;
    }
    if (now == null) {
      return null;
    }
    Frame frame = null;
    try {
      frame = now.entered(operation, engine, key, argument);
    } catch (Throwable bug) {
      failed(now, bug);
    }
    if (frame instanceof Refusal refusal) {
      throw refusal.exception();
    }
    return frame;
  }

  public static void exit(
      @Nullable Frame frame, @Nullable Object result, @Nullable Throwable thrown) {
    if (frame == null) {
      return;
    }
    RuntimeException instead = null;
    try {
      instead = frame.ended(result, thrown);
    } catch (Throwable bug) {
      failed(listener, bug);
    }
    if (instead != null) {
      throw instead;
    }
  }

  /** Like {@link #exit}. Returns whether the method runs again. */
  public static boolean exitOrRepeat(
      @Nullable Frame frame, @Nullable Object result, @Nullable Throwable thrown) {
    exit(frame, result, thrown);
    return frame != null && frame.repeats();
  }

  public static @Nullable Object clientOf(Object store) {
    Listener now = listener;
    if (now != null) {
      try {
        return now.clientOf(store);
      } catch (Throwable bug) {
        failed(now, bug);
      }
    }
    return null;
  }

  public static @Nullable Ride requested(Object request) {
    Listener now = listener;
    if (now != null) {
      try {
        return now.requested(request);
      } catch (Throwable bug) {
        failed(now, bug);
      }
    }
    return null;
  }

  public static void begun(@Nullable Ride ride) {
    if (ride != null) {
      try {
        ride.begun();
      } catch (Throwable bug) {
        failed(listener, bug);
      }
    }
  }

  public static @Nullable RuntimeException ended(@Nullable Ride ride) {
    if (ride != null) {
      try {
        return ride.ended();
      } catch (Throwable bug) {
        failed(listener, bug);
      }
    }
    return null;
  }

  /**
   * Makes this thread's next requests belong to {@code request}; null for none.
   *
   * @return the argument for {@link #continued}
   */
  public static @Nullable Ride continues(@Nullable Object request) {
    return resume(request instanceof Rider rider ? rider.palinodeRide() : null);
  }

  public static void continued(@Nullable Ride before) {
    Ride unused = resume(before);
  }

  private static @Nullable Ride resume(@Nullable Ride ride) {
    Listener now = listener;
    if (now != null) {
      try {
        return now.continues(ride);
      } catch (Throwable bug) {
        failed(now, bug);
      }
    }
    return null;
  }

  public static void repairs(List<?> values, List<?> repairs) {
    Listener now = listener;
    if (now != null) {
      try {
        now.repairs(values, repairs);
      } catch (Throwable bug) {
        failed(now, bug);
      }
    }
  }

  public static void storeRemoved(Object engine) {
    Listener now = listener;
    if (now != null) {
      try {
        now.storeRemoved(engine);
      } catch (Throwable bug) {
        failed(now, bug);
      }
    }
  }

  public static void decoding(byte[] record) {
    Listener now = listener;
    if (now != null) {
      try {
        now.decoding(record);
      } catch (Throwable bug) {
        failed(now, bug);
      }
    }
  }

  public static void encoded(byte @Nullable [] record) {
    Listener now = listener;
    if (now != null && record != null) {
      try {
        now.encoded(record);
      } catch (Throwable bug) {
        failed(now, bug);
      }
    }
  }

  public static void received(@Nullable Object builder) {
    Listener now = listener;
    if (now != null && builder != null) {
      try {
        now.received(builder);
      } catch (Throwable bug) {
        failed(now, bug);
      }
    }
  }

  /** Whether the message was written to {@code out}; otherwise the caller writes it. */
  public static boolean answers(Object message, DataOutputStream out) throws IOException {
    Listener now = listener;
    Writing writing = null;
    if (now != null) {
      try {
        writing = now.answering(message);
      } catch (Throwable bug) {
        failed(now, bug);
      }
    }
    if (writing == null) {
      return false;
    }
    writing.write(out);
    return true;
  }

  public static void requestEnded() {
    Listener now = listener;
    if (now != null) {
      try {
        now.requestEnded();
      } catch (Throwable bug) {
        failed(now, bug);
      }
    }
  }

  public static void pushes(boolean begins) {
    Listener now = listener;
    if (now != null) {
      try {
        now.pushes(begins);
      } catch (Throwable bug) {
        failed(now, bug);
      }
    }
  }

  public static void storageStarted(Object storageService) {
    Lifecycle now = lifecycle;
    if (now != null) {
      now.storageStarted(storageService);
    }
  }

  public static void storageStopping(Object storageService) {
    Lifecycle now = lifecycle;
    if (now != null) {
      now.storageStopping(storageService);
    }
  }

  private static void failed(@Nullable Listener failing, Throwable bug) {
    if (bug instanceof InternalError fatal) {
      throw fatal;
    }
    // The agent's own lack of memory must not fail the client's operation.
    if (failing != null) {
      try {
        failing.failed(bug);
      } catch (Throwable unreported) {
        // In this order, so that an end of a lock always finds a listener.
        cutOff = failing;
        listener = null;
      }
    }
  }
}
