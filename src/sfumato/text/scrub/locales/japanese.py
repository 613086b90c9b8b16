"""Japanese."""

from __future__ import annotations

from sfumato.text.scrub.locales.pack import LocalePack

__all__ = ["JAPANESE"]

JAPANESE = LocalePack(
    language="ja",
    regions=("JP",),
    function_words="",
    titles="さん 様 さま 氏 先生 君 くん ちゃん 殿 課長 部長 社長 係長 教授 博士",
    listed="出席者 参加者 欠席者 宛先 氏名 名前 担当者 担当 メンバー",
    introduced="私は 名前は 氏名は 担当は 担当者は",
    id_words="マイナンバー 個人番号 旅券番号 パスポート番号 パスポート 会員番号 社員番号 顧客番号 口座番号 免許証番号 "
    "保険証番号 患者番号 注文番号 受付番号 運転免許証番号",
    phone_words="電話 電話番号 携帯 携帯電話 連絡先 ファックス",
)  # fmt: skip
