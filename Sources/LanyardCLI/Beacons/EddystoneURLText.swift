// SPDX-License-Identifier: Apache-2.0

/// The text of a URL in an Eddystone-URL frame.
enum EddystoneURLText {
    /// The abbreviations. The byte of each is its place in the list.
    private static let schemes = ["http://www.", "https://www.", "http://", "https://"]
    private static let endings = [
        ".com/", ".org/", ".edu/", ".net/", ".info/", ".biz/", ".gov/",
        ".com", ".org", ".edu", ".net", ".info", ".biz", ".gov",
    ]

    /// Returns the URL; nil if the bytes contain a reserved one.
    static func decode(_ bytes: ArraySlice<UInt8>) -> String? {
        guard let first = bytes.first, Int(first) < schemes.count else { return nil }
        var url = schemes[Int(first)]
        for byte in bytes.dropFirst() {
            switch Int(byte) {
            case endings.indices: url += endings[Int(byte)]
            case 0x21...0x7E: url.unicodeScalars.append(Unicode.Scalar(byte))
            default: return nil
            }
        }
        return url
    }
}
