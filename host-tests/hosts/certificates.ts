/** Certificates for servers under test, made by `openssl` in a directory of the test's own. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/** In PEM. */
export interface Certificate {
  /** The certificate, followed by those of its issuers that a server is to show along with it. */
  readonly cert: string;
  readonly key: string;
}

export interface CertificateOptions {
  readonly commonName: string;
  /** As openssl has them: `DNS:localhost`, `IP:127.0.0.1`. */
  readonly names?: readonly string[];
  /** Left out: it signs itself. */
  readonly issuer?: Certificate;
  readonly isAuthority?: boolean;
  /** Whether it has expired already. */
  readonly isExpired?: boolean;
  /** Whom it is for, as openssl has it: `clientAuth`. */
  readonly purpose?: string;
}

/** Makes certificates in a directory that the caller owns. */
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

  /** A certificate, or several, in a file. @returns its path */
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

/** What a server shows that has more than its own. */
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
