package io.palinode.cli.shell;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version, the commit that was built, and the Java that runs it. */
public final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    Properties built = new Properties();
    try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
      built.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new String[] {
      line(built.getProperty("version"), built.getProperty("commit"), Runtime.version().toString())
    };
  }

  /** {@code commit} is empty if the sources were built outside a Git checkout. */
  static String line(String version, String commit, String java) {
    String built = commit.isEmpty() ? "built outside Git" : "commit " + commit;
    return "palinode %s (%s, Java %s)".formatted(version, built, java);
  }
}
