package io.palinode.orchestrator.rest.access;

import java.net.URI;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Which tokens of an OpenID Connect provider are users. Immutable.
 *
 * @param issuer the {@code iss} of its tokens, and where its description is found
 * @param audience an {@code aud} that each token must have
 * @param rolesClaim the claim with the user's roles; dots lead into objects
 * @param nameClaim the claim with the user's name
 * @param authorities PEM file of the authorities of the provider; null: those that Java trusts
 */
public record OidcSettings(
    String issuer,
    String audience,
    String rolesClaim,
    String nameClaim,
    @Nullable Path authorities) {
  public OidcSettings {
    URI url = URI.create(issuer);
    String host = url.getHost();
    boolean isSafe = "https".equals(url.getScheme());
    boolean isHere =
        "http".equals(url.getScheme()) && host != null && AccessSettings.isLoopback(host);
    if (host == null || !(isSafe || isHere)) {
      throw new IllegalArgumentException(
          "an issuer is an https URL: without TLS, a stranger could replace its keys: '%s'"
              .formatted(issuer));
    }
    if (audience.isBlank() || rolesClaim.isBlank() || nameClaim.isBlank()) {
      throw new IllegalArgumentException("the audience and the names of claims must not be empty");
    }
  }
}
