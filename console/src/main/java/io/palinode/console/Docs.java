package io.palinode.console;

import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.HeadingAnchorExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.HtmlInline;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;
import org.jspecify.annotations.Nullable;

/**
 * The docs of this release below {@code /docs/}, for the runbooks of alerts. Each heading has the
 * anchor that its Markdown has elsewhere. All links are relative: a proxy may add a path.
 */
final class Docs {
  static final String PATH = "/docs/";

  private static final String FOLDER = "/io/palinode/console/docs/";
  private static final Pattern PAGE = Pattern.compile("(?:[\\w-]+/)?[\\w-]+\\.md");
  private static final String COMMENT = "<!--";

  private static final List<Extension> EXTENSIONS =
      List.of(TablesExtension.create(), HeadingAnchorExtension.create());
  private static final Parser PARSER = Parser.builder().extensions(EXTENSIONS).build();
  private static final HtmlRenderer RENDERER =
      HtmlRenderer.builder().extensions(EXTENSIONS).escapeHtml(true).build();

  /** Of the page's path, the way from it to the root, and its contents. */
  private static final String HTML =
      """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>%1$s</title>
      <link rel="icon" href="%2$sconsole/icon.svg" type="image/svg+xml">
      <link rel="stylesheet" href="%2$sconsole/style.css">
      </head>
      <body>
      <header><a class="brand" href="%2$s">Palinode</a>
      <nav><a href="%2$sdocs/README.md">Docs</a></nav></header>
      <main class="docs">
      %3$s</main>
      </body>
      </html>
      """;

  private Docs() {}

  /** Adds the pages to a server that is not started. They are no routes of its API. */
  static void addTo(JavalinConfig config, Map<String, String> headers) {
    config.routes.before(PATH + "*", ctx -> serve(ctx, headers));
  }

  /** Leaves the answer to the server if there is no such page. */
  private static void serve(Context ctx, Map<String, String> headers) {
    String page = ctx.path().substring(PATH.length());
    boolean isRead = ctx.method().equals(HandlerType.GET) || ctx.method().equals(HandlerType.HEAD);
    URL markdown = isRead ? find(page) : null;
    if (markdown != null) {
      headers.forEach(ctx::header);
      ctx.html(html(page, read(markdown)));
      ctx.skipRemainingHandlers();
    }
  }

  /** The Markdown of a page; null: there is no such page. */
  private static @Nullable URL find(String page) {
    return PAGE.matcher(page).matches() ? Docs.class.getResource(FOLDER + page) : null;
  }

  private static String read(URL markdown) {
    try (InputStream in = markdown.openStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(markdown.toString(), e);
    }
  }

  private static String html(String page, String markdown) {
    Node document = PARSER.parse(markdown);
    document.accept(new ForReaders(URI.create(PATH + page)));
    String root = page.contains("/") ? "../../" : "../";
    return HTML.formatted(page, root, RENDERER.render(document));
  }

  /** Removes comments. Shows as text what is not served: images, and links to other files. */
  private static final class ForReaders extends AbstractVisitor {
    private final URI page;

    ForReaders(URI page) {
      this.page = page;
    }

    @Override
    public void visit(HtmlBlock html) {
      if (html.getLiteral().stripLeading().startsWith(COMMENT)) {
        html.unlink();
      }
    }

    @Override
    public void visit(HtmlInline html) {
      if (html.getLiteral().startsWith(COMMENT)) {
        html.unlink();
      }
    }

    @Override
    public void visit(Image image) {
      visitChildren(image);
      replaceByChildren(image);
    }

    @Override
    public void visit(Link link) {
      visitChildren(link);
      if (!isServed(link)) {
        link.appendChild(new Text(" (" + link.getDestination() + ")"));
        replaceByChildren(link);
      }
    }

    private boolean isServed(Link link) {
      String to = page.resolve(link.getDestination()).toString().replaceFirst("#.*", "");
      return to.startsWith(PATH) && find(to.substring(PATH.length())) != null;
    }

    private static void replaceByChildren(Node node) {
      for (Node child = node.getFirstChild(); child != null; child = node.getFirstChild()) {
        node.insertBefore(child);
      }
      node.unlink();
    }
  }
}
