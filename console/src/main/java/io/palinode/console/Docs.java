package io.palinode.console;

import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The docs of this release below {@code /docs/}, for the runbooks of alerts. A page is its text
 * with working links. Each heading has the anchor that its Markdown has elsewhere.
 */
final class Docs {
  static final String PATH = "/docs/";

  private static final String FOLDER = "/io/palinode/console/docs/";
  private static final Pattern PAGE = Pattern.compile("(?:[\\w-]+/)?[\\w-]+\\.md");
  private static final Pattern HEADING = Pattern.compile("(#{1,4}) (.+)");
  private static final Pattern FENCE = Pattern.compile(" *```.*");

  /** A text may continue on the next line. */
  private static final Pattern LINK = Pattern.compile("\\[([^\\[\\]]+)]\\(([^()\\s]+)\\)");

  private final String page;
  private final StringBuilder html = new StringBuilder();
  private final StringBuilder text = new StringBuilder();

  private Docs(String page) {
    this.page = page;
  }

  /** Adds the pages to a server that is not started. They are no routes of its API. */
  static void addTo(JavalinConfig config, Map<String, String> headers) {
    config.routes.before(PATH + "*", ctx -> serve(ctx, headers));
  }

  /** Leaves the answer to the server if there is no such page. */
  private static void serve(Context ctx, Map<String, String> headers) {
    String page = ctx.path().substring(PATH.length());
    String markdown = ctx.method().equals(HandlerType.GET) ? read(page) : null;
    if (markdown != null) {
      headers.forEach(ctx::header);
      ctx.html(new Docs(page).html(markdown));
      ctx.skipRemainingHandlers();
    }
  }

  /** The text of a page; null: there is no such page. */
  private static @Nullable String read(String page) {
    if (!PAGE.matcher(page).matches()) {
      return null;
    }
    try (InputStream in = Docs.class.getResourceAsStream(FOLDER + page)) {
      return in == null ? null : new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(page, e);
    }
  }

  private String html(String markdown) {
    html.append("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
        .append("<meta name=\"color-scheme\" content=\"light dark\">\n<title>")
        .append(escaped(page))
        .append("</title>\n<link rel=\"icon\" href=\"/console/icon.svg\" type=\"image/svg+xml\">\n")
        .append("<link rel=\"stylesheet\" href=\"/console/style.css\">\n</head>\n<body>\n")
        .append("<header><a class=\"brand\" href=\"/\">Palinode</a>")
        .append(
            "<nav><a href=\"/docs/README.md\">Docs</a></nav></header>\n<main class=\"docs\">\n");
    boolean isCode = false;
    for (String line : markdown.lines().toList()) {
      boolean isFence = FENCE.matcher(line).matches();
      Matcher heading = HEADING.matcher(line);
      if (isFence && !isCode) {
        endText();
      }
      if (!isFence && !isCode && heading.matches()) {
        endText();
        addHeading(heading.group(1).length(), heading.group(2));
      } else {
        text.append(line).append('\n');
      }
      if (isFence && isCode) {
        html.append("<pre>").append(escaped(text.toString())).append("</pre>\n");
        text.setLength(0);
      }
      isCode ^= isFence;
    }
    endText();
    return html.append("</main>\n</body>\n</html>\n").toString();
  }

  private void addHeading(int level, String words) {
    html.append("<h%d id=\"%s\">%s</h%d>\n".formatted(level, anchor(words), escaped(words), level));
  }

  /** What the docs' links have after {@code #}. */
  private static String anchor(String heading) {
    return heading.replaceAll("[^\\p{L}\\p{N}_ -]", "").replace(' ', '-').toLowerCase(Locale.ROOT);
  }

  /** Writes the text since the last heading or code. */
  private void endText() {
    if (!text.toString().isBlank()) {
      html.append("<pre>")
          .append(LINK.matcher(escaped(text.toString())).replaceAll(this::linked))
          .append("</pre>\n");
    }
    text.setLength(0);
  }

  /** A link to a page that is served; else the Markdown. */
  private String linked(MatchResult link) {
    URI to = URI.create(PATH + page).resolve(link.group(2));
    String path = to.getPath();
    boolean isServed =
        to.getHost() == null
            && path.startsWith(PATH)
            && read(path.substring(PATH.length())) != null;
    return Matcher.quoteReplacement(
        isServed ? "<a href=\"%s\">%s</a>".formatted(to, link.group(1)) : link.group());
  }

  private static String escaped(String words) {
    return words
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
