package io.palinode.agent.weave;

import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import net.bytebuddy.dynamic.ClassFileLocator;
import org.jspecify.annotations.Nullable;

/** The version of the server. */
public final class ServerVersion {
  /** The versions with which the agent was tested. */
  static final List<String> KNOWN = List.of("1.10.26");

  private static final String SERVER = "voldemort/server/VoldemortServer.class";
  private static final List<String> STATED_AS =
      List.of("Voldemort-Implementation-Version", "Implementation-Version");

  private ServerVersion() {}

  /**
   * The version in the server's jar; {@code unstated} for a server without a jar. Throws {@link
   * IllegalArgumentException} with the known versions if it is another one, or lacks a method to
   * weave.
   */
  public static String require(ClassLoader server) throws IOException {
    URL found = server.getResource(SERVER);
    if (found == null) {
      throw new IllegalArgumentException(
          "no Voldemort server is on the class path: the agent knows version " + known());
    }
    String stated = stated(found);
    if (stated != null && !KNOWN.contains(stated)) {
      throw new IllegalArgumentException(
          "this is Voldemort %s, the agent knows version %s".formatted(stated, known()));
    }
    List<String> missing = Weaver.ofServer().missing(ClassFileLocator.ForClassLoader.of(server));
    if (!missing.isEmpty()) {
      throw new IllegalArgumentException(
          "this is no Voldemort that the agent knows (version %s): it lacks %s"
              .formatted(known(), String.join(", ", missing)));
    }
    return stated == null ? "unstated" : stated;
  }

  private static String known() {
    return String.join(", ", KNOWN);
  }

  private static @Nullable String stated(URL server) throws IOException {
    URLConnection connection = server.openConnection();
    if (!(connection instanceof JarURLConnection jar)) {
      return null;
    }
    // The server's loader uses the same jar file, so it must stay open.
    Manifest manifest = jar.getManifest();
    if (manifest == null) {
      return null;
    }
    Attributes attributes = manifest.getMainAttributes();
    return STATED_AS.stream()
        .map(attributes::getValue)
        .filter(value -> value != null)
        .findFirst()
        .orElse(null);
  }
}
