package io.palinode.hazelcast.boot;

import io.palinode.loader.NestedJarLoader;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Starts the agent in a Hazelcast member. If the configuration is wrong or the version unknown, the
 * process ends with the reason before a member starts.
 */
public final class Premain {
  private static final int EXIT_REFUSED = 2;
  private static final String AGENT = "io.palinode.hazelcast.Agent";

  /** Woven code calls our package; our observers extend Hazelcast's classes. */
  private static final List<String> SHARED =
      List.of("io.palinode.hazelcast.boot.", "com.hazelcast.");

  private Premain() {}

  public static void premain(@Nullable String argument, Instrumentation instrumentation)
      throws IOException, ReflectiveOperationException {
    NestedJarLoader loader = NestedJarLoader.open("hazelcast-agent", Premain.class, SHARED);
    Thread thread = Thread.currentThread();
    ClassLoader ofTheMember = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      loader
          .loadClass(AGENT)
          .getMethod("start", String.class, Instrumentation.class)
          .invoke(null, argument == null ? "" : argument, instrumentation);
    } catch (InvocationTargetException e) {
      Throwable cause = e.getTargetException();
      // There is no log yet, and this must not initialise the member's log.
      System.err.println("hazelcast-agent: " + cause.getMessage());
      if (!(cause instanceof IllegalArgumentException)) {
        System.err.println("hazelcast-agent: " + Arrays.toString(cause.getStackTrace()));
      }
      // A member that must be watched does not start unwatched.
      System.exit(EXIT_REFUSED);
    } finally {
      thread.setContextClassLoader(ofTheMember);
    }
  }
}
