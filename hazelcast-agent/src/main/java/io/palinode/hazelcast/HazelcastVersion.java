package io.palinode.hazelcast;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Properties;
import net.bytebuddy.dynamic.ClassFileLocator;

/** The version of the member. */
final class HazelcastVersion {
  /** The versions that have the woven methods. */
  static final List<String> KNOWN = List.of("5.5.0", "5.7.0");

  private static final String FILE = "META-INF/maven/com.hazelcast/hazelcast/pom.properties";

  private HazelcastVersion() {}

  /**
   * The version on the class path. Throws {@link IllegalArgumentException} with the known versions
   * if it is another one, or lacks a method to weave.
   */
  static String require(ClassLoader classes) throws IOException {
    String version = stated(classes);
    if (!KNOWN.contains(version)) {
      throw new IllegalArgumentException(
          "this is Hazelcast %s, the agent knows %s".formatted(version, KNOWN));
    }
    List<String> missing = MemberWeaver.missing(ClassFileLocator.ForClassLoader.of(classes));
    if (!missing.isEmpty()) {
      throw new IllegalArgumentException(
          "this is no Hazelcast that the agent knows %s: it lacks %s".formatted(KNOWN, missing));
    }
    return version;
  }

  private static String stated(ClassLoader classes) throws IOException {
    try (InputStream in = classes.getResourceAsStream(FILE)) {
      if (in == null) {
        throw new IllegalArgumentException(
            "no Hazelcast member is on the class path: the agent knows " + KNOWN);
      }
      Properties stated = new Properties();
      stated.load(in);
      return stated.getProperty("version", "unstated");
    }
  }
}
