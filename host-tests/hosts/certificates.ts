/** Makes certificates for servers under test, with `openssl`. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/** A certificate and its private key, both in PEM. */
export interface Certificate {
  /** The certificate, followed by the issuer certificates that a server sends with it. */
  readonly cert: string;
  readonly key: string;
}

export interface CertificateOptions {
  readonly commonName: string;
  /** Subject alternative names in openssl's notation: `DNS:localhost`, `IP:127.0.0.1`. */
  readonly names?: readonly string[];
  /** Default: self-signed. */
  readonly issuer?: Certificate;
  readonly isAuthority?: boolean;
  /** Makes a certificate that has already expired. */
  readonly isExpired?: boolean;
  /** Extended key usage in openssl's notation: `clientAuth`. */
  readonly purpose?: string;
}

/** Makes certificates in a directory that the caller owns and removes. */
export class CertificateMaker {
  readonly #directory: string;
  #count = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  make(options: CertificateOptions): Certificate {
    const key = this.#file("key");
    const request = this.#file("csr");
    const subject = ["-subj", `/CN=${options.commonName}`];
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
    openssl("req", "-new", ...curve, "-nodes", "-keyout", key, "-out", request, ...subject);
    const cert = this.#sign(request, key, options);
    return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  }

  /** Writes one or more certificates to a file. @returns its path */
  save(...certificates: readonly Certificate[]): string {
    return this.#write("pem", certificates.map(({ cert }) => cert).join(""));
  }

  #sign(
    request: string,
    key: string,
    { issuer, isExpired = false, ...extensions }: CertificateOptions,
  ): string {
    const cert = this.#file("pem");
    const extensionFile = this.#write("ext", extensionText(extensions));
    const signer = issuer
      ? ["-CA", this.#write("pem", issuer.cert), "-CAkey", this.#write("key", issuer.key), "-CAcreateserial"]
      : ["-signkey", key];
    const validity = ["-days", isExpired ? "-1" : "10"];
    openssl("x509", "-req", "-in", request, "-out", cert, "-extfile", extensionFile, ...signer, ...validity);
    return cert;
  }

  #file(extension: string): string {
    this.#count++;
    return path.join(this.#directory, `${this.#count}.${extension}`);
  }

  #write(extension: string, text: string): string {
    const file = this.#file(extension);
    writeFileSync(file, text);
    return file;
  }
}

/** Returns `leaf` with its issuers appended, as a server sends the chain. */
export const chainOf = (leaf: Certificate, ...issuers: readonly Certificate[]): Certificate => ({
  key: leaf.key,
  cert: [leaf, ...issuers].map(({ cert }) => cert).join(""),
});

function extensionText({
  names = [],
  isAuthority = false,
  purpose,
}: Omit<CertificateOptions, "commonName">): string {
  return [
    `basicConstraints=critical,CA:${isAuthority ? "TRUE" : "FALSE"}`,
    ...(names.length > 0 ? [`subjectAltName=${names.join(",")}`] : []),
    ...(purpose ? [`extendedKeyUsage=${purpose}`] : []),
  ].join("\n");
}

function openssl(...parameters: readonly string[]): void {
  execFileSync("openssl", parameters, { stdio: ["ignore", "ignore", "pipe"] });
}
