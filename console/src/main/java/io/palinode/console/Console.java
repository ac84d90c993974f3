package io.palinode.console;

import io.javalin.config.JavalinConfig;
import io.javalin.http.staticfiles.Location;
import java.util.Map;

/**
 * The files of the console: the page at {@code /}, its parts below {@code /console/}, its libraries
 * below {@code /webjars/}, and the docs below {@code /docs/}. They hold no data of the cluster, so
 * they need no token.
 */
public final class Console {
  /** No inline script or style, and no other site: a value of the store cannot become code. */
  static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
          + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private static final Map<String, String> HEADERS =
      Map.of(
          "Content-Security-Policy", POLICY,
          "Cache-Control", "no-cache",
          "Referrer-Policy", "no-referrer",
          "X-Content-Type-Options", "nosniff");

  private Console() {}

  /** Whether a path is that of a file of the console, or would be. */
  public static boolean hasPath(String path) {
    // The server asks for / by the name of its file.
    return path.equals("/")
        || path.equals("/index.html")
        || path.startsWith("/console/")
        || path.startsWith("/webjars/");
  }

  /** Adds the files to a server that is not started. They are no routes of its API. */
  public static void addTo(JavalinConfig config) {
    config.staticFiles.add(
        files -> {
          files.hostedPath = "/";
          files.directory = "/io/palinode/console/page";
          files.location = Location.CLASSPATH;
          files.headers = HEADERS;
        });
    config.staticFiles.enableWebjars();
    Docs.addTo(config, HEADERS);
  }
}
