package io.palinode.orchestrator.rest.access;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSetCacheRefreshEvaluator;
import com.nimbusds.jose.jwk.source.JWKSetParseException;
import com.nimbusds.jose.jwk.source.JWKSetSource;
import com.nimbusds.jose.jwk.source.JWKSetUnavailableException;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.ConfigurableJWTProcessor;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import io.palinode.tls.ClientFiles;
import io.palinode.tls.ClientTls;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The users whose tokens an OpenID Connect provider has signed. Thread-safe.
 *
 * <p>A token is a JWT of the issuer and for the audience, not expired, and signed with a key that
 * the provider publishes now. Only signatures with public keys count: an unsigned token, and one
 * whose signature anyone with a public key can make, is refused. Keys are read at the first token,
 * again after ten minutes, and for a token with an unknown key. If the provider does not answer, no
 * token is a user's.
 */
final class Oidc implements JWKSetSource<SecurityContext> {
  private static final Set<JWSAlgorithm> ALGORITHMS =
      Set.of(
          JWSAlgorithm.RS256,
          JWSAlgorithm.RS384,
          JWSAlgorithm.RS512,
          JWSAlgorithm.PS256,
          JWSAlgorithm.PS384,
          JWSAlgorithm.PS512,
          JWSAlgorithm.ES256,
          JWSAlgorithm.ES384,
          JWSAlgorithm.ES512);
  private static final ObjectMapper JSON = new ObjectMapper();

  /** For a whole answer: a request's own limit ends with the headers. */
  private static final Duration ANSWER_MAX = Duration.ofSeconds(3);

  private static final int ANSWER_BYTES_MAX = 256 << 10;
  private static final long KEYS_MS = Duration.ofMinutes(10).toMillis();

  /** Two reads of the keys, in this time, whatever strangers send. */
  private static final long INTERVAL_MS = Duration.ofSeconds(10).toMillis();

  /** The other threads of the server answer requests that do not wait for the provider. */
  private static final int CHECKS_MAX = 4;

  private static final long CHECK_WAIT_MS = 100;
  private static final int TOKEN_CHARS_MAX = 8 << 10;
  private static final String ROLE = "palinode-";
  private static final String NAME = "[\\x21-\\x7e]{1,64}";

  private final OidcSettings settings;
  private final Duration answerMax;
  private final HttpClient provider;
  private final ConfigurableJWTProcessor<SecurityContext> tokens = new DefaultJWTProcessor<>();
  private final Semaphore checks = new Semaphore(CHECKS_MAX);

  /** Reads nothing of the provider yet. Throws {@link io.palinode.tls.TlsException}. */
  Oidc(OidcSettings settings) {
    this(settings, ANSWER_MAX);
  }

  Oidc(OidcSettings settings, Duration answerMax) {
    this.settings = settings;
    this.answerMax = answerMax;
    this.provider =
        HttpClient.newBuilder()
            .sslContext(ClientTls.context(new ClientFiles(settings.authorities(), null, null)))
            .followRedirects(HttpClient.Redirect.NORMAL)
            .build();
    JWKSource<SecurityContext> keys =
        JWKSourceBuilder.create(this)
            // Two answers, and some time.
            .cache(KEYS_MS, 3 * answerMax.toMillis())
            .refreshAheadCache(false)
            .rateLimited(INTERVAL_MS)
            .build();
    tokens.setJWSKeySelector(new JWSVerificationKeySelector<>(ALGORITHMS, keys));
    tokens.setJWSTypeVerifier(
        new DefaultJOSEObjectTypeVerifier<>(
            JOSEObjectType.JWT, new JOSEObjectType("at+jwt"), null));
    tokens.setJWTClaimsSetVerifier(
        new DefaultJWTClaimsVerifier<>(
            settings.audience(),
            new JWTClaimsSet.Builder().issuer(settings.issuer()).build(),
            Set.of("exp", settings.nameClaim())));
  }

  /** Why a token is no user's. */
  static final class RefusedTokenException extends Exception {
    private static final long serialVersionUID = 1L;

    RefusedTokenException(String message) {
      super(message, null, false, false);
    }
  }

  /** Whether a bearer token has the form of a JWT, which no other token has. */
  static boolean isJwt(String token) {
    return token.chars().filter(c -> c == '.').count() == 2;
  }

  /**
   * The user of the token. May read from the provider, for some seconds.
   *
   * @throws RefusedTokenException if it is no user's, or the provider does not answer
   */
  User user(String token) throws RefusedTokenException {
    if (token.length() > TOKEN_CHARS_MAX) {
      throw new RefusedTokenException("it has more than 8 KiB");
    }
    boolean admitted = false;
    try {
      admitted = checks.tryAcquire(CHECK_WAIT_MS, TimeUnit.MILLISECONDS);
      if (!admitted) {
        throw new RefusedTokenException("other tokens wait for the provider; try again");
      }
      return user(tokens.process(token, null));
    } catch (ParseException | BadJOSEException e) {
      throw new RefusedTokenException(String.valueOf(e.getMessage()));
    } catch (KeySourceException e) {
      throw new RefusedTokenException(
          "the keys of %s cannot be read: %s".formatted(settings.issuer(), e.getMessage()));
    } catch (JOSEException e) {
      throw new RefusedTokenException(String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RefusedTokenException("the server stops");
    } finally {
      if (admitted) {
        checks.release();
      }
    }
  }

  private User user(JWTClaimsSet claims) throws RefusedTokenException {
    JsonNode all = JSON.valueToTree(claims.toJSONObject());
    String name = claim(all, settings.nameClaim()).asText("");
    if (!name.matches(NAME)) {
      throw new RefusedTokenException(
          "its claim '%s' must have 1 to 64 visible characters".formatted(settings.nameClaim()));
    }
    Role role = role(claim(all, settings.rolesClaim()));
    if (role == null) {
      throw new RefusedTokenException(
          "its claim '%s' has no role of Palinode, such as %sviewer"
              .formatted(settings.rolesClaim(), ROLE));
    }
    return new User(name, role);
  }

  /** As a whole, for claims whose names are URLs, or by its parts between dots. */
  private static JsonNode claim(JsonNode all, String path) {
    return all.has(path) ? all.path(path) : all.at("/" + path.replace('.', '/'));
  }

  /** The greatest role in a list, or in a text with spaces; null: there is none. */
  private static @Nullable Role role(JsonNode roles) {
    Role greatest = null;
    for (Role role : Arrays.asList(Role.values())) {
      boolean has = false;
      for (JsonNode each : roles) {
        has |= each.asText().equals(ROLE + role.label());
      }
      has |= Arrays.asList(roles.asText("").split(" ", -1)).contains(ROLE + role.label());
      greatest = has && role != Role.ANYONE ? role : greatest;
    }
    return greatest;
  }

  /** The provider's keys now. Called by the cache of the library. */
  @Override
  public JWKSet getJWKSet(
      JWKSetCacheRefreshEvaluator refresh, long nowMs, @Nullable SecurityContext unused)
      throws KeySourceException {
    String description =
        settings.issuer().replaceFirst("/$", "") + "/.well-known/openid-configuration";
    try {
      JsonNode found = JSON.readTree(read(description));
      if (!found.path("issuer").asText().equals(settings.issuer())) {
        throw new JWKSetUnavailableException(
            "%s is of the issuer '%s'".formatted(description, found.path("issuer").asText()));
      }
      return JWKSet.parse(read(found.path("jwks_uri").asText()));
    } catch (JsonProcessingException e) {
      throw new JWKSetUnavailableException(description + " is no JSON", e);
    } catch (ParseException e) {
      throw new JWKSetParseException("its keys are no JWKS", e);
    } catch (IOException e) {
      throw new JWKSetUnavailableException(String.valueOf(e.getMessage()), e);
    }
  }

  /** Returns an answer of the provider, or throws in time. */
  private String read(String url) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    CompletableFuture<HttpResponse<Void>> sent =
        provider.sendAsync(
            HttpRequest.newBuilder(uri(url)).build(),
            HttpResponse.BodyHandlers.ofByteArrayConsumer(
                part -> part.ifPresent(bytes -> append(bytes, body))));
    try {
      int status = sent.get(answerMax.toMillis(), TimeUnit.MILLISECONDS).statusCode();
      if (status != 200) {
        throw new IOException("%s answers with the HTTP status %d".formatted(url, status));
      }
      return body.toString(StandardCharsets.UTF_8);
    } catch (TimeoutException e) {
      throw new IOException(
          "%s has not answered for %d ms".formatted(url, answerMax.toMillis()), e);
    } catch (ExecutionException e) {
      throw new IOException("%s cannot be read: %s".formatted(url, e.getCause()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the server stops", e);
    } finally {
      sent.cancel(true);
    }
  }

  private static void append(byte[] bytes, ByteArrayOutputStream body) {
    if (body.size() + bytes.length > ANSWER_BYTES_MAX) {
      throw new UncheckedIOException(
          new IOException("the answer has more than %,d bytes".formatted(ANSWER_BYTES_MAX)));
    }
    body.writeBytes(bytes);
  }

  /** Throws for keys that a stranger could replace on their way. */
  private URI uri(String text) throws IOException {
    try {
      // The same rule as for the issuer.
      OidcSettings unused =
          new OidcSettings(text, settings.audience(), "roles", "sub", settings.authorities());
      return URI.create(text);
    } catch (IllegalArgumentException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  @Override
  public void close() {}
}
