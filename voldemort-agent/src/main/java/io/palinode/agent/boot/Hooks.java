package io.palinode.agent.boot;

import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where woven methods call. It is the agent's only static state: woven code can reach nothing else.
 *
 * <p>Nothing that is thrown here reaches the server, but what is meant to: a {@link Refusal}, what
 * a {@link Lifecycle} throws, and errors of the virtual machine. Without a listener a call costs a
 * read of a field, or two.
 *
 * <p>A listener that throws when it is told of a failure, as for want of memory, is heard no more,
 * but by those who have locked a record. It cannot be told that either: whoever has set it has to
 * look ({@link #isDeaf}).
 */
public final class Hooks {
  private static volatile @Nullable Listener listener;

  /** The one that is heard no more, though it should be. */
  private static volatile @Nullable Listener deafened;

  private static volatile @Nullable Lifecycle lifecycle;

  private Hooks() {}

  /** Null: nobody hears anything from now on; methods that are under way still end. */
  public static void listen(@Nullable Listener next) {
    deafened = null;
    listener = next;
  }

  /** Whether the listener that was set hears nothing any more: what is done is missed. */
  public static boolean isDeaf() {
    return deafened != null;
  }

  public static void attend(@Nullable Lifecycle next) {
    lifecycle = next;
  }

  public static @Nullable Frame enter(
      Operation operation, Object engine, @Nullable Object key, @Nullable Object argument) {
    Listener now = listener;
    if (now == null && operation.endsLock()) {
      now = deafened;
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

  /** Likewise; whether the method is to run once more. */
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
   * What this thread makes from now on goes on with {@code request}; null: with none.
   *
   * @return what {@link #continued} is to get when that is over
   */
  public static @Nullable Ride continues(@Nullable Object request) {
    return goOn(request instanceof Rider rider ? rider.palinodeRide() : null);
  }

  public static void continued(@Nullable Ride before) {
    Ride unused = goOn(before);
  }

  private static @Nullable Ride goOn(@Nullable Ride ride) {
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

  /** Whether the message was written to {@code out}, which is else to be done. */
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

  private static void failed(@Nullable Listener heard, Throwable bug) {
    if (bug instanceof InternalError fatal) {
      throw fatal;
    }
    // Want of memory of ours too is ours: the client's operation goes on without us.
    if (heard != null) {
      try {
        heard.failed(bug);
      } catch (Throwable untold) {
        // Who looks finds it; in this order, so that nobody who ends a lock goes by unheard.
        deafened = heard;
        listener = null;
      }
    }
  }
}
