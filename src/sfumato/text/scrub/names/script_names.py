"""Names of people in scripts without capitals: by honorifics, by what introduces them and by family names.

Chinese, Japanese, Korean, Arabic, Hebrew, Devanagari and Thai.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["names_in_other_scripts"]

_HAN = "一-鿿々"
_FAMILY_JA = (
    "佐藤|鈴木|高橋|田中|伊藤|渡辺|渡邊|山本|中村|小林|加藤|吉田|山田|佐々木|山口|松本|井上|木村|斎藤|斉藤|清水|山崎|池田|橋本|阿部|石川|山下"
    "|中島|石井|小川|前田|岡田|長谷川|藤田|後藤|近藤|村上|遠藤|青木|坂本|福田|太田|西村|藤井|金子|岡本|藤原|三浦|中野|中川|原田|松田|竹内|小野|田村"
    "|中山|和田|石田|森田|上田|原|内田|柴田|酒井|宮崎|横山|高木|安藤|宮本|大野|小島|谷口|今井|工藤|高田|増田|丸山|杉山|村田|大塚|新井|小山|平野"
)
_HONOUR_JA = "さん|様|さま|氏|先生|くん|君|ちゃん|殿|課長|部長|社長|係長|教授|博士"
_NOBODY = frozenset(
    "皆 客 お客 奥 王 神 患者 担当者 医者 看護師 店員 運転手 何 誰 奥様 息子 娘 嫁 姉 兄 弟 妹 父 母 お客様 皆様 学生 校長 "
    "尊敬的 各位 这位 那位 两位 一位 老 小 大 고객 선생 여러분 사장 부모 손 스승 담당자 회원 이용자 사용자".split()
)
_FAMILY_ZH = (
    "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何高林罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖田董潘袁蔡蒋蔣余于杜叶葉程魏苏蘇吕呂丁任卢盧姚沈钟鍾姜崔谭譚陆陸范汪廖石金韦賈贾夏付方邹熊白孟秦邱"
    "侯江尹薛闫段雷龙史陶贺毛郝顾龚邵万钱严武戴莫孔向汤"
)
_PATTERNS = (
    re.compile(rf"(?<![{_HAN}])((?:{_FAMILY_JA}|[{_HAN}]{{1,3}})(?:[ 　]?[{_HAN}]{{1,3}})?)[ 　]?(?={_HONOUR_JA})"),
    re.compile(rf"([ァ-ヶー]{{2,10}}(?:[・ 　][ァ-ヶー]{{2,12}})?)[ 　]?(?={_HONOUR_JA})"),
    re.compile(rf"(?<![{_HAN}])((?:{_FAMILY_JA})[ 　]?(?:[{_HAN}]{{1,3}}|[ぁ-ん]{{2,4}}(?=[ 　、。はがをにと]))?)"
rf"(?![{_HAN}]|県|市|区|町|村|駅)"),
    re.compile(rf"(?:氏名|名前|担当者?|宛先|署名|差出人)\s?(?:は|[:：])\s?([{_HAN}ぁ-んァ-ヶー]{{1,8}}(?:[ 　・][{_HAN}ぁ-んァ-ヶー]{{1,8}})?)"),
    re.compile(rf"(?:私は|名前は)\s?([{_HAN}ァ-ヶー]{{2,6}}(?:[ 　・][{_HAN}ァ-ヶー]{{1,8}})?)(?=です|と申し|といい)"),
    re.compile(rf"([{_FAMILY_ZH}][{_HAN}]{{0,2}})(?=先生|女士|小姐|老师|老師|经理|經理|医生|醫生|同学|同學|教授|主任|总|太太)"),
    re.compile(rf"(?:我叫|我是|姓名[:：]|联系人[:：]|聯絡人[:：]|名叫|收件人[:：])\s?([{_FAMILY_ZH}][{_HAN}]{{1,2}})"),
    re.compile(r"([가-힣]{2,4})\s?(?=씨|님|선생님|과장|부장|대리|교수|박사|사장님)"),
    re.compile(r"(?:이름은|성명[:：]|담당자[:：]|저는)\s?([가-힣]{2,4}?)(?=입니다|이라고|라고|이고|\s|,|$)"),
    re.compile(r"(?:السيد|السيدة|الدكتور|الدكتورة|الأستاذ|الأستاذة|الآنسة|المهندس|اسمي|عزيزي|عزيزتي"
r"|مرحبا|مرحبًا|أهلا)\s+([ء-ي]{2,14}(?:\s+[ء-ي]{2,14})?)"),
    re.compile(r"(?:מר|גברת|גב'|ד\"ר|פרופ'|שמי|שלום|היי)\s+([א-ת]{2,12}(?:\s+[א-ת]{2,12})?)"),
    re.compile(r"(?:श्री|श्रीमती|डॉ\.?|कुमारी|सुश्री|मेरा नाम|नाम[:：])\s+([ऀ-ॿ]{2,14}(?:\s+[ऀ-ॿ]{2,14})?)"
r"(?=\s|[,।]|$)"),
    re.compile(r"([ऀ-ॿ]{2,14}(?:\s[ऀ-ॿ]{2,14})?)\s(?=जी(?:\s|[,।]|$))"),
    re.compile(r"(?:นางสาว|นาย|นาง|คุณ|ดร\.)\s?([ก-๎]{2,20}(?:\s[ก-๎]{2,20})?)"),
)  # fmt: skip
_OTHER = re.compile(r"[֐-ۿऀ-ॿ฀-๿぀-ヿ一-鿿가-힣]")
_HONOUR_AT_END = re.compile(rf"(?:{_HONOUR_JA})$")
_VERBS = re.compile(r"\s(?:है|का|की|के|ने|को|से|और|أن|في|من|على|قال|قالت|كان)$")


def names_in_other_scripts(text: str) -> Iterator[tuple[int, int]]:
    """Where names stand.

    >>> text = "田中さんと王小明先生と김민준 씨"
    >>> [text[start:end] for start, end in sorted(names_in_other_scripts(text))]
    ['田中', '王小明', '김민준']
    """
    if text.isascii() or not _OTHER.search(text):
        return
    found = set()
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            name = _VERBS.sub("", _HONOUR_AT_END.sub("", match.group(1))).strip(" 　")
            if name and name not in _NOBODY:
                found.add((match.start(1), match.start(1) + len(name)))
    yield from sorted(found)
