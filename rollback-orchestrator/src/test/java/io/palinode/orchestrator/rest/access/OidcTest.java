package io.palinode.orchestrator.rest.access;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.palinode.orchestrator.rest.access.Oidc.RefusedTokenException;
import io.palinode.tls.ServerFiles;
import io.palinode.tls.ServerTls;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tokens of a provider that is a real server, with generated keys. */
@Timeout(60)
class OidcTest {
  private static final Duration ANSWER_MAX = Duration.ofSeconds(30);
  private static final String DESCRIPTION = "/.well-known/openid-configuration";
  private static RSAKey first;
  private static RSAKey second;
  private static ECKey elliptic;

  private final AtomicInteger reads = new AtomicInteger();
  private volatile String keys = "";
  private volatile @Nullable String claimedIssuer;
  private HttpServer provider;
  private Oidc oidc;

  @BeforeAll
  static void makeKeys() throws JOSEException {
    first = new RSAKeyGenerator(2048).keyID("first").generate();
    second = new RSAKeyGenerator(2048).keyID("second").generate();
    elliptic = new ECKeyGenerator(Curve.P_256).keyID("elliptic").generate();
  }

  @BeforeEach
  void start() throws IOException {
    provider = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    serve(provider);
    publish(first, elliptic);
    oidc = new Oidc(settings(null), ANSWER_MAX);
  }

  private void serve(HttpServer server) {
    server.createContext(
        DESCRIPTION,
        exchange -> {
          String issuer = claimedIssuer == null ? issuer() : claimedIssuer;
          answer(
              exchange,
              "{\"issuer\": \"%s\", \"jwks_uri\": \"%s/keys\"}".formatted(issuer, issuer()));
        });
    server.createContext(
        "/keys",
        exchange -> {
          reads.incrementAndGet();
          answer(exchange, keys);
        });
    server.setExecutor(Executors.newCachedThreadPool());
    server.start();
  }

  private static void answer(HttpExchange exchange, String text) throws IOException {
    byte[] bytes = text.getBytes(UTF_8);
    exchange.sendResponseHeaders(200, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  @AfterEach
  void stop() {
    provider.stop(0);
  }

  @Test
  void aSignedTokenIsItsUsersAndTheGreatestRoleCounts() throws Exception {
    assertThat(oidc.user(signed(first, claims()))).isEqualTo(new User("alice", Role.OPERATOR));
    assertThat(oidc.user(signed(elliptic, claims()))).isEqualTo(new User("alice", Role.OPERATOR));
    assertThat(oidc.user(signed(first, claims().claim("roles", "email palinode-admin"))).role())
        .as("a text with spaces")
        .isEqualTo(Role.ADMIN);
    for (int i = 0; i < 100; i++) {
      User unused = oidc.user(signed(first, claims()));
    }
    assertThat(reads.get()).as("reads of the keys").isEqualTo(1);
  }

  @Test
  void claimsInObjectsAndWithUrlsAsNamesAreFound() throws Exception {
    Oidc nested =
        new Oidc(
            new OidcSettings(issuer(), "palinode", "realm_access.roles", "x.y/name", null),
            ANSWER_MAX);
    JWTClaimsSet.Builder claims =
        claims()
            .claim("roles", null)
            .claim("x.y/name", "bob@example.org")
            .claim("realm_access", Map.of("roles", List.of("palinode-viewer")));
    assertThat(nested.user(signed(first, claims)))
        .isEqualTo(new User("bob@example.org", Role.VIEWER));
  }

  @Test
  void aTokenOfTheWrongTimeIssuerOrAudienceIsRefused() throws Exception {
    Date past = Date.from(Instant.now().minus(Duration.ofMinutes(5)));
    Date future = Date.from(Instant.now().plus(Duration.ofMinutes(5)));
    refuses(signed(first, claims().expirationTime(past)), "Expired JWT");
    refuses(signed(first, claims().notBeforeTime(future)), "JWT before use time");
    refuses(signed(first, claims().expirationTime(null)), "missing required claims: [exp]");
    refuses(signed(first, claims().audience("another")), "aud claim");
    refuses(signed(first, claims().audience((String) null)), "aud claim");
    refuses(signed(first, claims().issuer("https://other.example")), "iss");
    refuses(signed(first, claims().subject(null)), "missing required claims: [sub]");
  }

  @Test
  void aTokenWithoutASignatureOfTheProviderIsRefused() throws Exception {
    refuses(new PlainJWT(claims().build()).serialize(), "Unsecured");
    refuses(signed(second, claims()), "no matching key");
    RSAKey forged = new RSAKey.Builder(second).keyID("first").build();
    refuses(signed(forged, claims()), "Invalid signature");
    String good = signed(first, claims());
    String other = signed(first, claims().claim("roles", List.of("palinode-admin")));
    refuses(
        good.split("\\.", -1)[0] + "." + other.split("\\.", -1)[1] + "." + good.split("\\.", -1)[2],
        "Invalid signature");
    refuses("a.b.c", "");
    refuses(".".repeat(2), "");
    refuses("x".repeat(9_000) + "..", "more than 8 KiB");
  }

  /** The key of an HMAC would be the public key, which everyone has. */
  @Test
  void aSignatureWithThePublicKeyAsASecretIsRefused() throws Exception {
    byte[] secret = first.toRSAPublicKey().getEncoded();
    SignedJWT forged =
        new SignedJWT(
            new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("first").build(), claims().build());
    forged.sign(new MACSigner(secret));
    refuses(forged.serialize(), "");
  }

  @Test
  void aRotatedKeyIsReadOnceAndAWithdrawnOneIsNoLongerTaken() throws Exception {
    User unused = oidc.user(signed(first, claims()));
    publish(second);
    assertThat(oidc.user(signed(second, claims())).name()).isEqualTo("alice");
    refuses(signed(first, claims()), "");
    int before = reads.get();
    for (int i = 0; i < 50; i++) {
      RSAKey stranger = new RSAKey.Builder(second).keyID("stranger-" + i).build();
      refuses(signed(stranger, claims()), "");
    }
    assertThat(reads.get() - before).as("reads that strangers cause").isLessThanOrEqualTo(2);
    assertThat(oidc.user(signed(second, claims())).name()).as("meanwhile").isEqualTo("alice");
  }

  @Test
  void withoutTheProviderNoTokenIsAUsers() throws Exception {
    int port = provider.getAddress().getPort();
    String token = signed(first, claims());
    provider.stop(0);
    refuses(token, "the keys of " + issuer() + " cannot be read");
    provider = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    serve(provider);
    assertThat(oidc.user(token).name()).as("once it answers").isEqualTo("alice");
  }

  @Test
  void anAnswerWithoutAnEndIsNotWaitedFor() throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    provider.removeContext("/keys");
    provider.createContext(
        "/keys",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          try (OutputStream body = exchange.getResponseBody()) {
            while (true) {
              body.write(' ');
              body.flush();
              LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
            }
          } catch (IOException e) {
            closed.countDown();
          }
        });
    oidc = new Oidc(settings(null), Duration.ofSeconds(5));
    refuses(signed(first, claims()), "/keys has not answered for 5000 ms");
    assertThat(closed.await(30, TimeUnit.SECONDS)).as("the connection is closed").isTrue();
  }

  @Test
  void anAnswerOfMegabytesIsRefused() throws Exception {
    keys = " ".repeat(3 << 20);
    refuses(signed(first, claims()), "the answer has more than 262,144 bytes");
  }

  @Test
  void aDescriptionOfAnotherIssuerIsRefused() throws Exception {
    claimedIssuer = "https://other.example";
    refuses(signed(first, claims()), "is of the issuer 'https://other.example'");
  }

  @Test
  void aTokenWithoutARoleOfPalinodeIsRefused() throws Exception {
    refuses(signed(first, claims().claim("roles", List.of("admin"))), "has no role of Palinode");
    refuses(signed(first, claims().claim("roles", null)), "has no role of Palinode");
    refuses(signed(first, claims().claim("roles", "palinode-anyone")), "has no role of Palinode");
    refuses(signed(first, claims().subject("a b")), "visible characters");
  }

  @Test
  void anIssuerNeedsTls() {
    assertThatThrownBy(() -> new OidcSettings("http://id.example", "a", "roles", "sub", null))
        .hasMessageContaining("an issuer is an https URL");
    assertThat(new OidcSettings("https://id.example", "a", "roles", "sub", null).audience())
        .isEqualTo("a");
  }

  @Test
  void aProviderOverTlsIsTrustedByItsAuthorityAlone() throws Exception {
    Path certificates = Path.of("../tls/src/test/certificates");
    provider.stop(0);
    HttpsServer secured =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    try (ServerTls tls =
        ServerTls.watching(
            new ServerFiles(
                certificates.resolve("server.pem"), certificates.resolve("server.key"), null))) {
      secured.setHttpsConfigurator(new HttpsConfigurator(tls.context()));
      provider = secured;
      serve(secured);
      Oidc trusting = new Oidc(settings(certificates.resolve("ca.pem")), ANSWER_MAX);
      assertThat(trusting.user(signed(first, claims())).name()).isEqualTo("alice");
      oidc = new Oidc(settings(certificates.resolve("other-ca.pem")), ANSWER_MAX);
      refuses(signed(first, claims()), "cannot be read");
    }
  }

  private void refuses(String token, String reason) {
    assertThatThrownBy(() -> oidc.user(token))
        .isInstanceOf(RefusedTokenException.class)
        .hasMessageContaining(reason);
  }

  private String issuer() {
    String scheme = provider instanceof HttpsServer ? "https" : "http";
    return scheme + "://localhost:" + provider.getAddress().getPort();
  }

  private OidcSettings settings(@Nullable Path authorities) {
    return new OidcSettings(issuer(), "palinode", "roles", "sub", authorities);
  }

  private JWTClaimsSet.Builder claims() {
    return new JWTClaimsSet.Builder()
        .issuer(issuer())
        .audience("palinode")
        .subject("alice")
        .claim("roles", List.of("palinode-viewer", "palinode-operator", "other"))
        .expirationTime(Date.from(Instant.now().plus(Duration.ofMinutes(5))));
  }

  private void publish(JWK... published) {
    keys = new JWKSet(List.of(published)).toString(true);
  }

  private static String signed(JWK key, JWTClaimsSet.Builder claims) throws JOSEException {
    boolean isRsa = key instanceof RSAKey;
    SignedJWT token =
        new SignedJWT(
            new JWSHeader.Builder(isRsa ? JWSAlgorithm.RS256 : JWSAlgorithm.ES256)
                .keyID(key.getKeyID())
                .build(),
            claims.build());
    token.sign(isRsa ? new RSASSASigner(key.toRSAKey()) : new ECDSASigner(key.toECKey()));
    return token.serialize();
  }
}
