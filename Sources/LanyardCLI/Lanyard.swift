// SPDX-License-Identifier: Apache-2.0

@main
struct Lanyard {
    static func main() {}
}
