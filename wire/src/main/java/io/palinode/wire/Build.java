package io.palinode.wire;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** The release that this process runs. */
public final class Build {
  /** Such as {@code 0.1.0}; empty if the class path does not have it. */
  public static final String VERSION = read();

  private Build() {}

  private static String read() {
    Properties built = new Properties();
    try (InputStream in = Build.class.getResourceAsStream("build.properties")) {
      if (in != null) {
        built.load(in);
      }
      return built.getProperty("version", "");
    } catch (IOException unreadable) {
      return "";
    }
  }
}
